import assert from 'node:assert/strict';
import type { Node, Pod } from '@apichain/api/core/v1';
import { newVolume } from '@apichain/component-helpers/volumes.fixture';
import { isAttachable, isShareable, keepFor, needsVolumes, newAttachment, uniqueName } from './attachment.ts';

const csi = newVolume('v', { csi: { driver: 'csi.example.com', volumeHandle: 'h' } });

describe('the attachment of volumes', () => {
  it('is needed for volumes of CSI drivers, unless the driver does not want it', () => {
    const metadata = { name: 'csi.example.com' };
    const driver = (attachRequired?: boolean) => ({
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSIDriver',
      metadata,
      spec: attachRequired === undefined ? {} : { attachRequired },
    });
    assert.equal(
      isAttachable(csi, () => undefined),
      true,
    );
    assert.equal(
      isAttachable(csi, () => driver()),
      true,
    );
    assert.equal(
      isAttachable(csi, () => driver(false)),
      false,
    );
    assert.equal(
      isAttachable(newVolume('v', { hostPath: { path: '/' } }), () => undefined),
      false,
    );
  });

  it('is to one node, unless the volume may be shared', () => {
    const shareable = (...accessModes: string[]) => isShareable(newVolume('v', { accessModes }));
    assert.equal(shareable('ReadWriteOnce'), false);
    assert.equal(shareable('ReadWriteOncePod'), false);
    assert.equal(shareable('ReadWriteOnce', 'ReadOnlyMany'), true);
  });

  it('has a name by volume, driver and node', () => {
    const { metadata, spec } = newAttachment({ volume: csi, nodeName: 'node-1' });
    assert.equal(metadata.name, 'csi-5ba758327391e73da0457b5588ac7475102f465c188198d224888c2b67b302ce');
    assert.deepEqual(spec, {
      attacher: 'csi.example.com',
      nodeName: 'node-1',
      source: { persistentVolumeName: 'v' },
    });
    assert.equal(uniqueName(csi), 'kubernetes.io/csi/csi.example.com^h');
  });

  const newPod = (nodeName: string, phase: string, deleted: boolean, states: readonly object[] = []): Pod => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', ...(deleted && { deletionTimestamp: '2026-01-01T00:00:00Z' }) },
    spec: { nodeName },
    status: {
      phase,
      containerStatuses: states.map((state, i) => ({
        name: `${i}`,
        image: '',
        imageID: '',
        ready: false,
        restartCount: 0,
        state,
      })),
    },
  });
  const pods: readonly [what: string, pod: Pod, needs: boolean][] = [
    ['not scheduled', newPod('', 'Pending', false), false],
    ['scheduled', newPod('n', 'Pending', false), true],
    ['failed', newPod('n', 'Failed', false), false],
    ['deleted and running', newPod('n', 'Running', true, [{ running: {} }]), true],
    ['deleted and ended', newPod('n', 'Running', true, [{ terminated: { exitCode: 0 } }]), false],
  ];
  for (const [what, pod, needs] of pods)
    it(`is ${needs ? '' : 'not '}needed by a pod that is ${what}`, () => assert.equal(needsVolumes(pod), needs));

  const name = 'kubernetes.io/csi/csi.example.com^h';
  const newNode = (ready: boolean, inUse: readonly string[], taint?: string): Node => ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'n' },
    spec: taint === undefined ? {} : { taints: [{ key: taint, effect: 'NoExecute' }] },
    status: { conditions: [{ type: 'Ready', status: ready ? 'True' : 'Unknown' }], volumesInUse: [...inUse] },
  });
  const minuteMs = 60_000;
  const nodes: readonly [what: string, node: Node | undefined, minutes: number][] = [
    ['on no node', undefined, 0],
    ['when it is not mounted', newNode(true, []), 0],
    ['while it is mounted', newNode(true, [name]), Infinity],
    ['for a while when the node is not ready', newNode(false, [name]), 4],
    ['on no node that is out of service', newNode(true, [name], 'node.kubernetes.io/out-of-service'), 0],
  ];
  for (const [what, node, minutes] of nodes)
    it(`is kept without pods ${what}`, () => assert.equal(keepFor(node, name, 0, 2 * minuteMs), minutes * minuteMs));
});
