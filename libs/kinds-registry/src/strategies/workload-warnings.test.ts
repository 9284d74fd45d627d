import assert from 'node:assert/strict';
import type { KubeObject } from '@apichain/meta';
import { storageCapacityBehaviour } from './small-kinds.ts';
import { statefulSetBehaviour } from './workloads.ts';

const object = (generation: number, spec: object): KubeObject => ({
  apiVersion: '',
  kind: '',
  metadata: { name: 'x', generation },
  spec,
});

describe('warnings', () => {
  it('cover claims and history of a StatefulSet on every update, and its template when it changes', () => {
    const resources = { requests: { storage: '1500m' } };
    const set = (generation: number) =>
      object(generation, {
        revisionHistoryLimit: -1,
        volumeClaimTemplates: [{ spec: { resources } }],
        template: { spec: { nodeSelector: { 'beta.kubernetes.io/os': 'linux' } } },
      });
    const always = [
      'spec.volumeClaimTemplates[0].Spec.resources.requests[storage]: fractional byte value "1500m" is invalid, must be an integer',
      'spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended',
    ];
    assert.deepEqual(statefulSetBehaviour.warnings?.(set(1), set(1)), always);
    assert.equal(statefulSetBehaviour.warnings?.(set(2), set(1)).length, 3);
  });

  it('cover deprecated node labels in the topology of a CSIStorageCapacity', () => {
    const nodeTopology = {
      matchLabels: { 'beta.kubernetes.io/os': 'linux' },
      matchExpressions: [{ key: 'failure-domain.beta.kubernetes.io/zone', operator: 'Exists' }],
    };
    assert.deepEqual(storageCapacityBehaviour.warnings?.({ ...object(1, {}), nodeTopology }, undefined), [
      'nodeTopology.matchExpressions[0].key: failure-domain.beta.kubernetes.io/zone is deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
      'nodeTopology.matchLabels.beta.kubernetes.io/os: deprecated since v1.14; use "kubernetes.io/os" instead',
    ]);
  });
});
