import type { ReplicaSetCondition, ReplicaSetStatus } from '@apichain/api/apps/v1';
import type { Pod, PodTemplateSpec } from '@apichain/api/core/v1';
import {
  type KubeObject,
  type LabelSelector,
  currentTimestamp,
  errorMessage,
  findCondition,
  integer,
  labelSelectorFromObject,
} from '@apichain/meta';
import { isPodAvailable, isPodReady } from '../workloads/pod-status.ts';
import { withoutZeros } from '../workloads/without-zeros.ts';

/** What ReplicaSets and ReplicationControllers have in common. */
export type ReplicaOwner = KubeObject & {
  spec?: { replicas?: number; minReadySeconds?: number; template?: PodTemplateSpec };
  status?: ReplicaSetStatus;
};

/** How many pods are created or deleted before their appearance is awaited. */
const maxBurst = 500;

/** How many pods to create or to delete for the wanted number of replicas. */
export function replicaChange(wanted: number, active: number): { readonly create: number; readonly remove: number } {
  return {
    create: Math.min(maxBurst, Math.max(0, wanted - active)),
    remove: Math.min(maxBurst, Math.max(0, active - wanted)),
  };
}

/** The pods of an owner. */
interface OwnedPods {
  readonly active: readonly Pod[];
  /** Undefined for an owner that does not report them. */
  readonly terminating: readonly Pod[] | undefined;
}

/**
 * The status of an owner at the time `now`, in milliseconds since the epoch. `failure` is the error of creating or deleting pods, if there was one.
 * Source: calculateStatus in k8s.io/kubernetes/pkg/controller/replicaset/replica_set_utils.go.
 */
export function replicaStatus(
  { metadata, spec, status }: ReplicaOwner,
  { active, terminating }: OwnedPods,
  failure: unknown,
  now: number,
): ReplicaSetStatus {
  const { replicas = 0, minReadySeconds = 0, template } = spec ?? {};
  const templateLabels = labelSelectorFromObject({ matchLabels: template?.metadata?.labels ?? {} });
  const ready = active.filter(isPodReady);
  const conditions = failureConditions(status?.conditions ?? [], active.length - replicas, failure);
  return {
    replicas: active.length,
    ...withoutZeros({
      fullyLabeledReplicas: countSelected(active, templateLabels),
      readyReplicas: ready.length,
      availableReplicas: ready.filter((pod) => isPodAvailable(pod, minReadySeconds, now)).length,
      observedGeneration: integer(metadata.generation),
    }),
    ...(terminating !== undefined && { terminatingReplicas: terminating.length }),
    ...(conditions.length > 0 && { conditions }),
  };
}

const countSelected = (pods: readonly Pod[], selector: LabelSelector): number =>
  pods.filter(({ metadata }) => selector.matches(metadata.labels)).length;

/** ReplicaFailure appears with the first failure, keeps its first reason, and disappears with success. */
function failureConditions(
  conditions: readonly ReplicaSetCondition[],
  surplus: number,
  failure: unknown,
): ReplicaSetCondition[] {
  if (failure === undefined) return conditions.filter(({ type }) => type !== 'ReplicaFailure');
  if (findCondition(conditions, 'ReplicaFailure') !== undefined) return [...conditions];
  const condition: ReplicaSetCondition = {
    type: 'ReplicaFailure',
    status: 'True',
    lastTransitionTime: currentTimestamp(),
    ...(surplus !== 0 && { reason: surplus < 0 ? 'FailedCreate' : 'FailedDelete' }),
    message: errorMessage(failure),
  };
  return [...conditions, condition];
}
