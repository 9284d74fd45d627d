import type { Deployment, DeploymentCondition, DeploymentStatus, ReplicaSet } from '@apichain/api/apps/v1';
import { findCondition, integer } from '@apichain/meta';
import { withoutZeros } from '../workloads/without-zeros.ts';
import { hasProgressDeadline, newCondition, removeCondition, replicaFailure, setCondition } from './conditions.ts';
import { allSets } from './scaling.ts';
import { desiredReplicas, maxUnavailable, sizeOf, sum } from './size.ts';
import type { ReplicaSetsOfDeployment } from './template.ts';

/** The status of a Deployment from those of its ReplicaSets. Source: calculateStatus in k8s.io/kubernetes/pkg/controller/deployment/sync.go. */
export function deploymentStatus(deployment: Deployment, replicaSets: ReplicaSetsOfDeployment): DeploymentStatus {
  const sets = allSets(replicaSets);
  const available = sum(sets, ({ status }) => status?.availableReplicas);
  const collisionCount = deployment.status?.collisionCount;
  const terminating = terminatingReplicas(sets);
  const condition =
    available >= desiredReplicas(deployment) - maxUnavailable(deployment)
      ? newCondition('Available', 'True', 'MinimumReplicasAvailable', 'Deployment has minimum availability.')
      : newCondition(
          'Available',
          'False',
          'MinimumReplicasUnavailable',
          'Deployment does not have minimum availability.',
        );
  return {
    ...withoutZeros({
      observedGeneration: integer(deployment.metadata.generation),
      replicas: sum(sets, ({ status }) => status?.replicas),
      updatedReplicas: replicaSets.current?.status?.replicas ?? 0,
      readyReplicas: sum(sets, ({ status }) => status?.readyReplicas),
      availableReplicas: available,
      unavailableReplicas: Math.max(0, sum(sets, sizeOf) - available),
    }),
    ...(terminating !== undefined && { terminatingReplicas: terminating }),
    ...(collisionCount !== undefined && { collisionCount }),
    conditions: [...setCondition(deployment.status?.conditions ?? [], condition)],
  };
}

/** Undefined if a ReplicaSet with a status does not report them. */
function terminatingReplicas(sets: readonly ReplicaSet[]): number | undefined {
  const reported = sets.filter(
    ({ status }) => status?.terminatingReplicas !== undefined || integer(status?.observedGeneration) !== 0,
  );
  if (reported.some(({ status }) => status?.terminatingReplicas === undefined)) return undefined;
  return sum(reported, ({ status }) => status?.terminatingReplicas);
}

/** Whether all replicas have the current template and are available, and no others are left. */
export function isComplete(deployment: Deployment, status: DeploymentStatus = {}): boolean {
  const desired = desiredReplicas(deployment);
  const { updatedReplicas = 0, replicas = 0, availableReplicas = 0, observedGeneration } = status;
  return (
    updatedReplicas === desired &&
    replicas === desired &&
    availableReplicas === desired &&
    integer(observedGeneration) >= integer(deployment.metadata.generation)
  );
}

/** The status during a rollout at the time `now`, with the conditions about its progress. Source: syncRolloutStatus in deployment/progress.go. */
export function rolloutStatus(
  deployment: Deployment,
  replicaSets: ReplicaSetsOfDeployment,
  now: number,
): DeploymentStatus {
  const status = deploymentStatus(deployment, replicaSets);
  const progressed = progressConditions(deployment, status, replicaSets.current, now);
  const failure = replicaFailure(replicaSets.current, allSets(replicaSets));
  const conditions =
    failure === undefined ? removeCondition(progressed, 'ReplicaFailure') : setCondition(progressed, failure);
  return { ...status, conditions: [...conditions] };
}

function progressConditions(
  deployment: Deployment,
  status: DeploymentStatus,
  current: ReplicaSet | undefined,
  now: number,
): readonly DeploymentCondition[] {
  const conditions = status.conditions ?? [];
  if (!hasProgressDeadline(deployment)) return removeCondition(conditions, 'Progressing');
  const before = findCondition(deployment.status?.conditions, 'Progressing');
  const isOver =
    before?.reason === 'NewReplicaSetAvailable' && (status.replicas ?? 0) === (status.updatedReplicas ?? 0);
  if (isOver) return conditions;
  const subject =
    current === undefined ? `Deployment "${deployment.metadata.name}"` : `ReplicaSet "${current.metadata.name}"`;
  if (isComplete(deployment, status)) {
    const message = `${subject} has successfully progressed.`;
    return setCondition(conditions, newCondition('Progressing', 'True', 'NewReplicaSetAvailable', message));
  }
  if (isProgress(deployment.status ?? {}, status)) {
    const condition = newCondition('Progressing', 'True', 'ReplicaSetUpdated', `${subject} is progressing.`);
    // Each progress renews the time of the last update, and only that.
    const transition = before?.status === 'True' ? before.lastTransitionTime : condition.lastTransitionTime;
    const renewed = { ...condition, ...(transition !== undefined && { lastTransitionTime: transition }) };
    return [...removeCondition(conditions, 'Progressing'), renewed];
  }
  if (isTimedOut(deployment, now)) {
    const message = `${subject} has timed out progressing.`;
    return setCondition(conditions, newCondition('Progressing', 'False', 'ProgressDeadlineExceeded', message));
  }
  return conditions;
}

/** Whether pods were added, became ready or available, or old ones disappeared. */
function isProgress(before: DeploymentStatus, after: DeploymentStatus): boolean {
  const oldPods = ({ replicas = 0, updatedReplicas = 0 }: DeploymentStatus) => replicas - updatedReplicas;
  return (
    (after.updatedReplicas ?? 0) > (before.updatedReplicas ?? 0) ||
    oldPods(after) < oldPods(before) ||
    (after.readyReplicas ?? 0) > (before.readyReplicas ?? 0) ||
    (after.availableReplicas ?? 0) > (before.availableReplicas ?? 0)
  );
}

function isTimedOut(deployment: Deployment, now: number): boolean {
  const condition = findCondition(deployment.status?.conditions, 'Progressing');
  if (condition === undefined || condition.reason === 'NewReplicaSetAvailable') return false;
  return condition.reason === 'ProgressDeadlineExceeded' || deadlineOf(deployment, condition) < now;
}

function deadlineOf({ spec }: Deployment, { lastUpdateTime }: DeploymentCondition): number {
  return Date.parse(lastUpdateTime ?? '') + (spec?.progressDeadlineSeconds ?? 0) * 1000;
}

/** In how many milliseconds the progress deadline of a Deployment passes; undefined if it is not waiting for progress. */
export function progressCheckIn(deployment: Deployment, status: DeploymentStatus, now: number): number | undefined {
  const condition = findCondition(deployment.status?.conditions, 'Progressing');
  if (!hasProgressDeadline(deployment) || condition === undefined) return undefined;
  if (isComplete(deployment, status) || condition.reason === 'ProgressDeadlineExceeded') return undefined;
  return deadlineOf(deployment, condition) - now;
}
