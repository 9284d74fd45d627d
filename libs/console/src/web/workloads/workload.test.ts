import assert from 'node:assert/strict';
import type { Fields } from '../api/stored-object.ts';
import { workloadOf, type WorkloadResource } from './workload.ts';

const rolloutOf = (resource: WorkloadResource, spec: Fields, status: Fields, metadata: object = {}) => {
  const object = { metadata: { name: 'web', namespace: 'shop', generation: 1, ...metadata }, spec, status };
  const { text, mood } = workloadOf(resource, object).rollout;
  return `${text} (${mood})`;
};
const seen = { observedGeneration: 1 };
const counts = (replicas: number, updatedReplicas: number, readyReplicas: number) => ({
  ...{ ...seen, replicas, updatedReplicas, readyReplicas, availableReplicas: readyReplicas },
});

describe('the rollouts of the page', () => {
  it('of a Deployment go from old pods to available new ones', () => {
    const of = (status: Fields, spec: Fields = {}) => rolloutOf('deployments', { replicas: 2, ...spec }, status);
    assert.equal(of({}), 'not yet seen by its controller (warn)');
    assert.equal(of(seen), '0 of 2 updated (warn)');
    assert.equal(of(counts(3, 1, 2)), '1 of 2 updated (warn)');
    assert.equal(of(counts(3, 2, 3)), '1 old to end (warn)');
    assert.equal(of(counts(2, 2, 1)), '1 of 2 available (warn)');
    assert.equal(of(counts(2, 2, 2)), 'complete (good)');
    assert.equal(of(counts(3, 1, 2), { paused: true }), 'paused (plain)');
    assert.equal(rolloutOf('deployments', {}, counts(1, 1, 1)), 'complete (good)');
  });

  it('name the condition that speaks of a failure', () => {
    const of = (condition: object) =>
      rolloutOf('deployments', { replicas: 2 }, { ...counts(2, 1, 1), conditions: [condition] });
    const late = { type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' };
    assert.equal(of(late), 'ProgressDeadlineExceeded (bad)');
    assert.equal(of({ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate' }), 'FailedCreate (bad)');
    assert.equal(
      of({ type: 'Available', status: 'False', reason: 'MinimumReplicasUnavailable' }),
      '1 of 2 updated (warn)',
    );
    assert.equal(of({ type: 'Progressing', status: 'Unknown', reason: 'DeploymentPaused' }), '1 of 2 updated (warn)');
    assert.equal(of({ type: 'ReplicaFailure', status: 'False' }), '1 of 2 updated (warn)');
  });

  it('of a StatefulSet end at its partition', () => {
    const two = { updateRevision: 'web-2', currentRevision: 'web-1' };
    const of = (status: Fields, updateStrategy: object = {}) =>
      rolloutOf('statefulsets', { replicas: 3, updateStrategy }, status);
    assert.equal(of({ ...counts(3, 1, 3), ...two }), '1 of 3 updated (warn)');
    assert.equal(of({ ...counts(3, 1, 3), ...two }, { rollingUpdate: { partition: 2 } }), 'complete (good)');
    assert.equal(of({ ...counts(3, 1, 3), ...two }, { type: 'OnDelete' }), 'complete (good)');
    assert.equal(of(counts(3, 3, 2)), '2 of 3 available (warn)');
    assert.equal(of(counts(3, 3, 3)), 'complete (good)');
  });

  it('of a DaemonSet count nodes', () => {
    const of = (updatedNumberScheduled: number, numberAvailable: number) =>
      rolloutOf('daemonsets', {}, { ...seen, desiredNumberScheduled: 3, updatedNumberScheduled, numberAvailable });
    assert.deepEqual(
      [of(2, 3), of(3, 2), of(3, 3)],
      ['2 of 3 updated (warn)', '2 of 3 available (warn)', 'complete (good)'],
    );
  });

  it('of a Job count completions', () => {
    const of = (status: Fields, spec: Fields = {}) => rolloutOf('jobs', { completions: 3, ...spec }, status);
    assert.equal(of({ active: 2, succeeded: 1 }), '1 of 3 completed (warn)');
    assert.equal(of({ active: 1, failed: 2 }), '0 of 3 completed, 2 failed (warn)');
    assert.equal(of({}, { suspend: true }), 'suspended (plain)');
    assert.equal(of({ succeeded: 3, conditions: [{ type: 'Complete', status: 'True' }] }), 'complete (good)');
    const failed = { type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded' };
    assert.equal(of({ failed: 7, conditions: [failed] }), 'BackoffLimitExceeded (bad)');
  });

  it('of a ReplicaSet, and of what is being deleted', () => {
    const of = (replicas: number, available: number) =>
      rolloutOf('replicasets', { replicas: 2 }, { ...seen, replicas, availableReplicas: available });
    assert.deepEqual([of(3, 3), of(2, 1), of(2, 2)], ['1 to end (warn)', '1 of 2 available (warn)', 'complete (good)']);
    const leaving = { deletionTimestamp: '2030-01-01T00:00:00Z' };
    assert.equal(rolloutOf('deployments', { replicas: 2 }, counts(2, 2, 2), leaving), 'terminating (warn)');
  });
});
