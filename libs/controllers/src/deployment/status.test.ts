import assert from 'node:assert/strict';
import type { DeploymentCondition, DeploymentStatus, ReplicaSetStatus } from '@apichain/api/apps/v1';
import { findCondition } from '@apichain/meta';
import { deploymentWith, replicaSetWith } from '../workloads/objects.fixture.ts';
import { deploymentStatus, progressCheckIn, rolloutStatus } from './status.ts';

const time = '2026-01-01T00:00:00Z';
const start = Date.parse(time);
const progressing = (reason: string, status = 'True'): DeploymentCondition => ({
  ...{ type: 'Progressing', status, reason, message: '', lastUpdateTime: time, lastTransitionTime: time },
});
const counts = (replicas: number, available: number): ReplicaSetStatus => ({
  ...{
    replicas,
    readyReplicas: available,
    availableReplicas: available,
    terminatingReplicas: 0,
    observedGeneration: 1,
  },
});
const deployment = (status: DeploymentStatus) =>
  deploymentWith({ replicas: 3, progressDeadlineSeconds: 600 }, { status: { observedGeneration: 1, ...status } });
const sets = (current: ReplicaSetStatus, old: ReplicaSetStatus) => ({
  current: replicaSetWith('r2', 3, { status: current }),
  old: [replicaSetWith('r1', old.replicas ?? 0, { status: old })],
});

describe('deploymentStatus', () => {
  it('sums the ReplicaSets', () => {
    const { conditions, ...status } = deploymentStatus(deployment({}), sets(counts(2, 1), counts(2, 2)));
    assert.deepEqual(status, {
      ...{ observedGeneration: 1, replicas: 4, updatedReplicas: 2, readyReplicas: 3, availableReplicas: 3 },
      ...{ unavailableReplicas: 2, terminatingReplicas: 0 },
    });
    assert.equal(conditions?.[0]?.reason, 'MinimumReplicasAvailable');
  });
  it('says when too few are available', () => {
    const { conditions } = deploymentStatus(deployment({}), sets(counts(3, 1), counts(0, 0)));
    assert.deepEqual([conditions?.[0]?.status, conditions?.[0]?.reason], ['False', 'MinimumReplicasUnavailable']);
  });
  it('reports no terminating replicas if a ReplicaSet does not', () => {
    const { terminatingReplicas: _, ...silent } = counts(1, 1);
    assert.equal(deploymentStatus(deployment({}), sets(counts(1, 1), silent)).terminatingReplicas, undefined);
  });
});

describe('rolloutStatus', () => {
  const before = { replicas: 3, updatedReplicas: 1, readyReplicas: 3, availableReplicas: 3 };
  const reasonAt = (seconds: number, conditions: DeploymentCondition[], current: ReplicaSetStatus) => {
    const status = rolloutStatus(
      deployment({ ...before, conditions }),
      sets(current, counts(2, 2)),
      start + seconds * 1000,
    );
    return findCondition(status.conditions, 'Progressing');
  };
  const rows: readonly (readonly [string, number, string, ReplicaSetStatus, string])[] = [
    ['progress when a pod is added', 900, 'NewReplicaSetCreated', counts(2, 1), 'ReplicaSetUpdated'],
    ['nothing new before the deadline', 600, 'ReplicaSetUpdated', counts(1, 1), 'ReplicaSetUpdated'],
    ['a lack of progress after it', 601, 'ReplicaSetUpdated', counts(1, 1), 'ProgressDeadlineExceeded'],
    ['the lack until there is progress', 0, 'ProgressDeadlineExceeded', counts(1, 1), 'ProgressDeadlineExceeded'],
    ['no lack after a complete rollout', 9999, 'NewReplicaSetAvailable', counts(1, 1), 'NewReplicaSetAvailable'],
  ];
  for (const [what, seconds, reason, current, expected] of rows)
    it(`reports ${what}`, () => assert.equal(reasonAt(seconds, [progressing(reason)], current)?.reason, expected));

  it('reports a complete rollout', () => {
    const status = rolloutStatus(
      deployment({ ...before, conditions: [progressing('ReplicaSetUpdated')] }),
      sets(counts(3, 3), counts(0, 0)),
      start,
    );
    const condition = findCondition(status.conditions, 'Progressing');
    assert.equal(condition?.reason, 'NewReplicaSetAvailable');
    assert.equal(condition.message, 'ReplicaSet "r2" has successfully progressed.');
    assert.equal(condition.lastTransitionTime, time);
  });
  it('shows the failure of a ReplicaSet, and removes it', () => {
    const failure = {
      type: 'ReplicaFailure',
      status: 'True',
      reason: 'FailedCreate',
      message: 'm',
      lastTransitionTime: time,
    };
    const failed = rolloutStatus(
      deployment(before),
      sets({ ...counts(1, 1), conditions: [failure] }, counts(2, 2)),
      start,
    );
    assert.deepEqual(findCondition(failed.conditions, 'ReplicaFailure'), { ...failure, lastUpdateTime: time });
    const mended = rolloutStatus(deployment(failed), sets(counts(1, 1), counts(2, 2)), start);
    assert.equal(findCondition(mended.conditions, 'ReplicaFailure'), undefined);
  });
});

describe('progressCheckIn', () => {
  it('is the time to the deadline of a rollout that is not complete', () => {
    const waiting = deployment({ conditions: [progressing('ReplicaSetUpdated')] });
    assert.equal(progressCheckIn(waiting, waiting.status ?? {}, start + 400_000), 200_000);
    const failed = deployment({ conditions: [progressing('ProgressDeadlineExceeded', 'False')] });
    assert.equal(progressCheckIn(failed, failed.status ?? {}, start), undefined);
  });
});
