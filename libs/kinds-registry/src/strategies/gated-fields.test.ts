import assert from 'node:assert/strict';
import type { DeviceAttribute } from '@apichain/api/resource/v1';
import type { KubeObject } from '@apichain/meta';
import { decodeObject, wasEmpty } from '@apichain/scheme';
import { openGates } from '@apichain/kinds';
import { gatedFieldsDropper } from './gated-fields.ts';
import { builtinType } from '@apichain/kinds';
import { behaviourOf } from './table.ts';

/** The object after the strategy has prepared it, with the default gates or the given ones. */
function written(resource: string, group: string, object: object, old?: object, gates: Record<string, string> = {}) {
  const { gated = [], subresources } = behaviourOf(group, resource);
  const all = [...gated, ...Object.values(subresources ?? {}).flatMap((sub) => sub.gated ?? [])];
  const result = structuredClone(object);
  const drop = gatedFieldsDropper(all, openGates(new Map(Object.entries(gates))));
  drop?.(result as KubeObject, old as KubeObject | undefined);
  return result;
}

const spec = {
  schedulingGroup: { podGroupName: 'g' },
  containers: [{ name: 'c', lifecycle: { stopSignal: 'SIGKILL' } }],
  volumes: [{ name: 'v', projected: { sources: [{ clusterTrustBundle: { path: 'p' } }, { secret: { name: 's' } }] } }],
};

describe('fields behind feature gates', () => {
  it('are dropped from new pods and pod templates', () => {
    const left = {
      containers: [{ name: 'c' }],
      volumes: [{ name: 'v', projected: { sources: [{}, { secret: { name: 's' } }] } }],
    };
    assert.deepEqual(written('pods', '', { spec }), { spec: left });
    const template = { spec: { jobTemplate: { spec: { template: { spec } } } } };
    assert.deepEqual(written('cronjobs', 'batch', template), {
      spec: { jobTemplate: { spec: { template: { spec: left } } } },
    });
  });

  it('are kept when the stored object uses them, or when the gate is enabled', () => {
    assert.deepEqual(written('pods', '', { spec }, { spec }), { spec });
    assert.deepEqual(written('pods', '', { spec }, undefined, { AllAlpha: 'true', AllBeta: 'true' }), { spec });
  });

  it('are dropped without effect on other fields', () => {
    const preStop = { sleep: { seconds: 1 } };
    const containers = [{ lifecycle: { stopSignal: 'SIGKILL', preStop } }, { lifecycle: {} }];
    assert.deepEqual(written('pods', '', { spec: { containers } }), {
      spec: { containers: [{ lifecycle: { preStop } }, { lifecycle: {} }] },
    });
  });

  it('are dropped when they are empty lists', () => {
    const slice = {
      ...{ apiVersion: 'resource.k8s.io/v1', kind: 'ResourceSlice', metadata: { name: 's' } },
      spec: { devices: [{ name: 'd', attributes: { a: { string: 'x', ints: [] } } }] },
    };
    const type = builtinType({ group: 'resource.k8s.io', version: 'v1', kind: 'ResourceSlice' });
    assert.ok(type);
    const decoded = decodeObject(slice, type).object as typeof slice;
    const attribute = (): DeviceAttribute => decoded.spec.devices[0]?.attributes.a ?? {};
    assert.equal(wasEmpty(attribute(), 'ints'), true);
    gatedFieldsDropper(behaviourOf('resource.k8s.io', 'resourceslices').gated ?? [], openGates())?.(decoded, undefined);
    assert.equal(wasEmpty(attribute(), 'ints'), false);
  });

  it('are dropped when a gate that is on by default is disabled', () => {
    const containers = [{ restartPolicy: 'Always', env: [{ valueFrom: { fileKeyRef: { key: 'k' } } }] }];
    const initContainers = [{ restartPolicy: 'Always' }, { restartPolicy: 'Never', restartPolicyRules: [{}] }];
    const pod = { spec: { containers, initContainers, hostnameOverride: 'h' } };
    assert.deepEqual(written('pods', '', pod), pod);
    assert.deepEqual(written('pods', '', pod, undefined, { AllBeta: 'false' }), {
      spec: { containers: [{ env: [{ valueFrom: {} }] }], initContainers: [{ restartPolicy: 'Always' }, {}] },
    });
  });

  it('are dropped from reported status, except the stop signal of a container', () => {
    const status = {
      nodeAllocatableResourceClaimStatuses: [{}],
      containerStatuses: [{ name: 'c', stopSignal: 'SIGKILL', volumeMounts: [{ name: 'v', volumeStatus: {} }] }],
    };
    assert.deepEqual(written('pods', '', { status }), {
      status: { containerStatuses: [{ name: 'c', stopSignal: 'SIGKILL', volumeMounts: [{ name: 'v' }] }] },
    });
  });

  it('may need two gates, and are several fields of one use', () => {
    const devices = [{ bindsToNode: true, bindingConditions: ['a'], attributes: { l: { strings: ['a'] } } }];
    const slice = { spec: { devices } };
    const slices = (old?: object, gates?: Record<string, string>) =>
      written('resourceslices', 'resource.k8s.io', slice, old, gates);
    const left = { bindsToNode: true, bindingConditions: ['a'], attributes: { l: {} } };
    assert.deepEqual(slices(), { spec: { devices: [left] } });
    assert.deepEqual(slices(undefined, { DRAResourceClaimDeviceStatus: 'false' }), {
      spec: { devices: [{ attributes: { l: {} } }] },
    });
    assert.deepEqual(slices({ spec: { devices: [{ attributes: { m: { ints: [1] } } }] } }), slice);
  });

  it('are dropped for their value: a reference to another namespace', () => {
    const claim = (reference: object) => ({ spec: { dataSourceRef: reference } });
    const inside = claim({ kind: 'K', name: 'n' });
    assert.deepEqual(written('persistentvolumeclaims', '', inside), inside);
    assert.deepEqual(written('persistentvolumeclaims', '', claim({ kind: 'K', name: 'n', namespace: 'o' })), {
      spec: {},
    });
  });
});

describe('feature gates', () => {
  it('follow their own setting, then AllAlpha and AllBeta, then the default', () => {
    const open = openGates(
      new Map([
        ['AllAlpha', 'true'],
        ['HPAScaleToZero', 'F'],
        ['AllBeta', '0'],
      ]),
    );
    const names = ['GenericWorkload', 'HPAScaleToZero', 'PodLevelResources', 'DRAPrioritizedList', 'Nobodys'];
    assert.deepEqual(names.map(open), [true, false, false, true, false]);
    assert.deepEqual(names.map(openGates()), [false, false, true, true, false]);
  });
});
