import assert from 'node:assert/strict';
import { podWith, templateWith } from '../workloads/objects.fixture.ts';
import { type ReplicaOwner, replicaChange, replicaStatus } from './replicas.ts';

const owner = (more: Partial<ReplicaOwner> = {}): ReplicaOwner => ({
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  metadata: { name: 'web', generation: 4 },
  spec: { replicas: 3, minReadySeconds: 10, template: templateWith('a') },
  ...more,
});
const labels = { app: 'web' };
const now = Date.parse('2026-01-01T00:00:10Z');

describe('replicaChange', () => {
  for (const [wanted, active, expected] of [
    [3, 3, { create: 0, remove: 0 }],
    [3, 1, { create: 2, remove: 0 }],
    [1, 3, { create: 0, remove: 2 }],
    [2000, 0, { create: 500, remove: 0 }],
    [0, 501, { create: 0, remove: 500 }],
  ] as const)
    it(`${active} to ${wanted}`, () => assert.deepEqual(replicaChange(wanted, active), expected));
});

describe('replicaStatus', () => {
  it('counts labelled, ready and available pods', () => {
    const active = [
      podWith('a', { labels, ready: '2026-01-01T00:00:00Z' }),
      podWith('b', { labels, ready: '2026-01-01T00:00:01Z' }),
      podWith('c', { labels: { ...labels, more: 'x' } }),
      podWith('d'),
    ];
    assert.deepEqual(replicaStatus(owner(), { active, terminating: [podWith('e')] }, undefined, now), {
      replicas: 4,
      fullyLabeledReplicas: 3,
      readyReplicas: 2,
      availableReplicas: 1,
      observedGeneration: 4,
      terminatingReplicas: 1,
    });
  });

  it('has a condition as long as pods cannot be created', () => {
    const none = { active: [], terminating: undefined };
    const failed = replicaStatus(owner(), none, new Error('exceeded quota'), now);
    const [condition] = failed.conditions ?? [];
    assert.deepEqual(
      { ...condition, lastTransitionTime: undefined },
      {
        ...{ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: 'exceeded quota' },
        lastTransitionTime: undefined,
      },
    );
    const again = replicaStatus(owner({ status: failed }), none, new Error('another'), now);
    assert.deepEqual(again.conditions, failed.conditions);
    assert.equal(replicaStatus(owner({ status: failed }), none, undefined, now).conditions, undefined);
  });
});
