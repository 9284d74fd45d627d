import type { Node, PersistentVolume, PersistentVolumeClaim, Pod } from '@apichain/api/core/v1';
import type {
  CSIDriver,
  CSINode,
  StorageClass,
  VolumeAttachment,
  VolumeAttributesClass,
} from '@apichain/api/storage/v1';
import type { Cluster } from './cluster.ts';

const container = { name: 'main', image: 'main' };
const driver = 'disk.example.com';
const modes = ['ReadWriteOnce'];
const bytes = (storage: string) => ({ requests: { storage } });

/**
 * Creates a volume that is free. A claim that comes before the controller knows so has another end: kube-controller-manager looks for a provisioner, and reports
 * that there is none. It learns that its own write was successful after everybody else, so a while is left to it on a busy machine.
 */
async function createVolume(
  cluster: Cluster,
  name: string,
  spec: PersistentVolume['spec'],
  more: { readonly labels?: Record<string, string>; readonly annotations?: Record<string, string> } = {},
): Promise<void> {
  await cluster.create<PersistentVolume>('persistentvolumes', {
    kind: 'PersistentVolume',
    metadata: { name, ...more },
    spec: {
      ...{ accessModes: modes, capacity: { storage: '1Gi' }, persistentVolumeReclaimPolicy: 'Retain' },
      ...spec,
      ...(spec?.csi === undefined && { hostPath: { path: `/srv/${name}` } }),
    },
  });
  await cluster.until(`the volume ${name} is available`, async () => {
    const { status } = await cluster.get<PersistentVolume>('persistentvolumes', name);
    return status?.phase === 'Available';
  });
  await cluster.pause(2);
}

const createClaim = (
  cluster: Cluster,
  name: string,
  spec: PersistentVolumeClaim['spec'],
): Promise<PersistentVolumeClaim> =>
  cluster.create<PersistentVolumeClaim>('persistentvolumeclaims', {
    kind: 'PersistentVolumeClaim',
    metadata: { name },
    spec: { accessModes: modes, resources: bytes('1Gi'), ...spec },
  });

const createClass = (cluster: Cluster, name: string, fields: Omit<StorageClass, 'kind' | 'metadata' | 'apiVersion'>) =>
  cluster.create<StorageClass>('storageclasses', { kind: 'StorageClass', metadata: { name }, ...fields });

async function untilPhase(cluster: Cluster, name: string, phase: string): Promise<void> {
  await cluster.until(`the claim ${name} is ${phase}`, async () => {
    const { status } = await cluster.get<PersistentVolumeClaim>('persistentvolumeclaims', name);
    return status?.phase === phase;
  });
}

const usesClaim = (name: string, claim: string, nodeName: string): Omit<Pod, 'apiVersion'> => ({
  kind: 'Pod',
  metadata: { name },
  spec: {
    nodeName,
    containers: [container],
    volumes: [{ name: 'data', persistentVolumeClaim: { claimName: claim } }],
  },
});

/** Sessions with volumes and their claims, by name. */
export const storageSessions: Readonly<Record<string, (cluster: Cluster) => Promise<void>>> = {
  async binding(cluster) {
    const manual = { storageClassName: 'manual' };
    for (const [name, size] of Object.entries({ small: '1Gi', middle: '2Gi', large: '5Gi' }))
      await createVolume(cluster, `binding-${name}`, { ...manual, capacity: { storage: size } });
    await createVolume(
      cluster,
      'binding-labelled',
      { ...manual, capacity: { storage: '9Gi' } },
      { labels: { a: 'b' } },
    );
    await createVolume(cluster, 'binding-reserved', {
      ...{ storageClassName: 'reserved', claimRef: { namespace: 'default', name: 'reserved' } },
    });
    await createVolume(cluster, 'binding-block', { storageClassName: 'block', volumeMode: 'Block' });
    await createClaim(cluster, 'fits', { ...manual, resources: bytes('1500Mi') });
    await untilPhase(cluster, 'fits', 'Bound');
    await createClaim(cluster, 'selects', { ...manual, selector: { matchLabels: { a: 'b' } } });
    await createClaim(cluster, 'reserved', { storageClassName: 'reserved' });
    await createClaim(cluster, 'too-large', { ...manual, resources: bytes('20Gi') });
    await createClaim(cluster, 'names', { ...manual, volumeName: 'binding-large' });
    await createClaim(cluster, 'names-nothing', { ...manual, volumeName: 'binding-nothing' });
    await untilPhase(cluster, 'names', 'Bound');
    await createClaim(cluster, 'names-taken', { ...manual, volumeName: 'binding-large' });
    await createClaim(cluster, 'names-small', {
      ...{ ...manual, volumeName: 'binding-small', resources: bytes('3Gi') },
    });
    await createClaim(cluster, 'block', { storageClassName: 'block' });
    await createClaim(cluster, 'without-class', { storageClassName: '' });
    await untilPhase(cluster, 'selects', 'Bound');
    await untilPhase(cluster, 'reserved', 'Bound');
    await cluster.pause(3);
  },
  async provisioning(cluster) {
    await createClass(cluster, 'external', { provisioner: driver });
    await createClass(cluster, 'later', { provisioner: driver, volumeBindingMode: 'WaitForFirstConsumer' });
    await createClass(cluster, 'nobody', { provisioner: 'kubernetes.io/no-provisioner' });
    await createClass(cluster, 'migrated', { provisioner: 'kubernetes.io/gce-pd' });
    for (const name of ['external', 'later', 'nobody', 'migrated', 'no-such-class'])
      await createClaim(cluster, `from-${name}`, { storageClassName: name });
    await cluster.untilEvent('from-later', 'WaitForFirstConsumer');
    // What a scheduler writes when it has found a node.
    await cluster.create<Node>('nodes', { kind: 'Node', metadata: { name: 'storage-selected' } });
    await cluster.patch('persistentvolumeclaims', 'from-later', {
      metadata: { annotations: { 'volume.kubernetes.io/selected-node': 'storage-selected' } },
    });
    await cluster.pause(3);
  },
  async releasing(cluster) {
    for (const policy of ['Retain', 'Delete'])
      await createVolume(cluster, `released-${policy.toLowerCase()}`, {
        ...{ storageClassName: `released-${policy.toLowerCase()}`, persistentVolumeReclaimPolicy: policy },
      });
    await createVolume(
      cluster,
      'released-csi',
      {
        ...{ storageClassName: 'released-csi', persistentVolumeReclaimPolicy: 'Delete' },
        csi: { driver, volumeHandle: 'released' },
      },
      { annotations: { 'pv.kubernetes.io/provisioned-by': driver } },
    );
    const names = ['retain', 'delete', 'csi'];
    for (const name of names) {
      await createClaim(cluster, `released-${name}`, { storageClassName: `released-${name}` });
      await untilPhase(cluster, `released-${name}`, 'Bound');
    }
    for (const name of names) await cluster.delete('persistentvolumeclaims', `released-${name}`);
    await cluster.pause(4);
  },
  async losing(cluster) {
    await createVolume(cluster, 'lost', { storageClassName: 'lost' });
    await createClaim(cluster, 'lost', { storageClassName: 'lost' });
    await untilPhase(cluster, 'lost', 'Bound');
    await cluster.delete('persistentvolumes', 'lost');
    await cluster.pause(2);
    // Its claim protects the volume. Somebody takes the protection away.
    await cluster.patch('persistentvolumes', 'lost', { metadata: { finalizers: null } });
    await untilPhase(cluster, 'lost', 'Lost');
    await cluster.pause(2);
  },
  async protection(cluster) {
    await cluster.create<Node>('nodes', { kind: 'Node', metadata: { name: 'storage-protected' } });
    for (const name of ['used', 'unused']) {
      await createVolume(cluster, `protected-${name}`, { storageClassName: `protected-${name}` });
      await createClaim(cluster, `protected-${name}`, { storageClassName: `protected-${name}` });
      await untilPhase(cluster, `protected-${name}`, 'Bound');
    }
    const pod = await cluster.create<Pod>('pods', usesClaim('user', 'protected-used', 'storage-protected'));
    await cluster.run(pod, '10.0.3.1');
    await cluster.create<VolumeAttributesClass>('volumeattributesclasses', {
      ...{ kind: 'VolumeAttributesClass', metadata: { name: 'fast' }, driverName: driver, parameters: { a: 'b' } },
    });
    await cluster.pause(2);
    for (const name of ['used', 'unused']) await cluster.delete('persistentvolumeclaims', `protected-${name}`);
    await cluster.pause(3);
    await cluster.end(pod, 0);
    await cluster.pause(3);
  },
  async expansion(cluster) {
    await createClass(cluster, 'growing', { provisioner: driver, allowVolumeExpansion: true });
    await createVolume(cluster, 'growing', { storageClassName: 'growing', csi: { driver, volumeHandle: 'growing' } });
    await createClaim(cluster, 'growing', { storageClassName: 'growing' });
    await untilPhase(cluster, 'growing', 'Bound');
    await cluster.patch('persistentvolumeclaims', 'growing', { spec: { resources: bytes('2Gi') } });
    await cluster.pause(4);
  },
  async attachment(cluster) {
    const names = ['storage-one', 'storage-two'];
    await cluster.create<CSIDriver>('csidrivers', {
      ...{ kind: 'CSIDriver', metadata: { name: driver }, spec: { attachRequired: true } },
    });
    for (const name of names) {
      await cluster.create<Node>('nodes', {
        kind: 'Node',
        metadata: { name, annotations: { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' } },
      });
      await cluster.create<CSINode>('csinodes', {
        ...{ kind: 'CSINode', metadata: { name }, spec: { drivers: [{ name: driver, nodeID: name }] } },
      });
    }
    await createVolume(cluster, 'attached', {
      storageClassName: 'attached',
      csi: { driver, volumeHandle: 'attached' },
    });
    await createClaim(cluster, 'attached', { storageClassName: 'attached' });
    await untilPhase(cluster, 'attached', 'Bound');
    const first = await cluster.create<Pod>('pods', usesClaim('attaches', 'attached', 'storage-one'));
    const attachment = await cluster.until('an attachment', async () => {
      const [found] = await cluster.list<VolumeAttachment>('volumeattachments');
      return found ?? false;
    });
    await cluster.setStatus('volumeattachments', attachment.metadata.name ?? '', { attached: true });
    await cluster.pause(3);
    await cluster.setStatus('nodes', 'storage-one', { volumesInUse: [`kubernetes.io/csi/${driver}^attached`] });
    await cluster.run(first, '10.0.3.2');
    await cluster.create<Pod>('pods', usesClaim('waits', 'attached', 'storage-two'));
    await cluster.pause(4);
  },
  async ephemeral(cluster) {
    const volumes = [
      {
        name: 'scratch',
        ephemeral: {
          volumeClaimTemplate: {
            metadata: { labels: { a: 'b' }, annotations: { c: 'd' } },
            spec: { storageClassName: 'ephemeral', accessModes: modes, resources: bytes('1Gi') },
          },
        },
      },
    ];
    await createClaim(cluster, 'conflict-scratch', { storageClassName: 'ephemeral' });
    for (const name of ['own', 'conflict'])
      await cluster.create<Pod>('pods', {
        kind: 'Pod',
        metadata: { name },
        spec: { nodeName: 'storage-selected', containers: [container], volumes },
      });
    await cluster.pause(4);
  },
};
