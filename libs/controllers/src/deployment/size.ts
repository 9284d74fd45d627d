import type { Deployment, ReplicaSet } from '@apichain/api/apps/v1';
import { scaledValue } from '../workloads/int-or-percent.ts';

/** How many pods a rolling update may have too many and too few. Source: ResolveFenceposts of k8s.io/kubernetes/pkg/controller/deployment/util. */

export const isRollingUpdate = ({ spec }: Deployment): boolean => spec?.strategy?.type === 'RollingUpdate';

/** The replicas that a Deployment wants. */
export const desiredReplicas = ({ spec }: Deployment): number => spec?.replicas ?? 1;

/** The replicas that a ReplicaSet is to have. */
export const sizeOf = ({ spec }: ReplicaSet): number => spec?.replicas ?? 1;

/** The surge and the unavailability. Both cannot be 0, because nothing would move: then one pod may be unavailable. */
function fenceposts(deployment: Deployment): { readonly surge: number; readonly unavailable: number } {
  if (!isRollingUpdate(deployment)) return { surge: 0, unavailable: 0 };
  const { maxSurge, maxUnavailable } = deployment.spec?.strategy?.rollingUpdate ?? {};
  const desired = desiredReplicas(deployment);
  const surge = scaledValue(maxSurge, desired, 'up');
  const unavailable = scaledValue(maxUnavailable, desired, 'down');
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
}

export const maxSurge = (deployment: Deployment): number => fenceposts(deployment).surge;

export const maxUnavailable = (deployment: Deployment): number =>
  Math.min(fenceposts(deployment).unavailable, desiredReplicas(deployment));

/** The pods that may exist at once. */
export const maxReplicas = (deployment: Deployment): number => desiredReplicas(deployment) + maxSurge(deployment);

export const sum = <T>(items: readonly T[], value: (item: T) => number | undefined): number =>
  items.reduce((total, item) => total + (value(item) ?? 0), 0);
