import type { StatefulSetStatus } from '@apichain/api/apps/v1';
import { integer } from '@apichain/meta';
import { isPodAvailable } from '../workloads/pod-status.ts';
import { withoutZeros } from '../workloads/without-zeros.ts';
import { minReadySecondsOf, replicasOf, revisionOf } from './identity.ts';
import { type StatefulSetState, isCreated, isRunningAndReady } from './plan.ts';

/**
 * The status of a StatefulSet. `deleted` is the number of pods that were just deleted for an update. When all pods have the new revision and are ready,
 * it becomes the current one. Source: updateStatus and completeRollingUpdate in k8s.io/kubernetes/pkg/controller/statefulset.
 */
export function statefulSetStatus(
  { set, pods, current, update, now }: StatefulSetState,
  collisionCount: number,
  deleted: number,
): StatefulSetStatus {
  const created = pods.filter(isCreated);
  const ready = pods.filter(isRunningAndReady);
  const alive = created.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const updated = alive.filter((pod) => revisionOf(pod) === update.name).length;
  const desired = replicasOf(set);
  const isComplete =
    set.spec?.updateStrategy?.type === 'RollingUpdate' &&
    [updated, ready.length, created.length].every((count) => count === desired);
  return {
    replicas: created.length,
    availableReplicas: ready.filter((pod) => isPodAvailable(pod, minReadySecondsOf(set), now)).length,
    ...withoutZeros({
      observedGeneration: integer(set.metadata.generation),
      readyReplicas: ready.length,
      currentReplicas: isComplete ? updated : alive.filter((pod) => revisionOf(pod) === current.name).length - deleted,
      updatedReplicas: updated,
    }),
    currentRevision: isComplete ? update.name : current.name,
    updateRevision: update.name,
    collisionCount,
  };
}
