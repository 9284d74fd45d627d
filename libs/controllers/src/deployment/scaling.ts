import type { Deployment, ReplicaSet } from '@apichain/api/apps/v1';
import { annotatedNumber, desiredReplicasAnnotation, maxReplicasAnnotation } from './revision.ts';
import { desiredReplicas, isRollingUpdate, maxReplicas, maxUnavailable, sizeOf, sum } from './size.ts';
import { type ReplicaSetsOfDeployment, byCreation } from './template.ts';

/** The new size of a ReplicaSet. A forced one also renews the annotations with the size of the Deployment, if the size stays. */
export interface Scaling {
  readonly set: ReplicaSet;
  readonly replicas: number;
  readonly isForced?: boolean;
}

const isActive = (set: ReplicaSet): boolean => sizeOf(set) > 0;
const available = ({ status }: ReplicaSet): number => status?.availableReplicas ?? 0;

/** The ReplicaSets of a Deployment that exist. */
export const allSets = ({ current, old }: ReplicaSetsOfDeployment): ReplicaSet[] =>
  current === undefined ? [...old] : [...old, current];

/** The size of the ReplicaSet with the current template in the next step. `size` is its present one. */
export function nextSize(deployment: Deployment, sets: readonly ReplicaSet[], size: number): number {
  const desired = desiredReplicas(deployment);
  if (!isRollingUpdate(deployment)) return desired;
  const room = maxReplicas(deployment) - sum(sets, sizeOf);
  return room <= 0 ? size : size + Math.min(room, desired - size);
}

/** Grows or shrinks the ReplicaSet with the current template, if a rolling update may do so now. */
export function scaleCurrent(deployment: Deployment, current: ReplicaSet, sets: readonly ReplicaSet[]): Scaling[] {
  const desired = desiredReplicas(deployment);
  const size = sizeOf(current);
  const replicas = size >= desired ? desired : nextSize(deployment, sets, size);
  return replicas === size ? [] : [{ set: current, replicas }];
}

/**
 * Shrinks ReplicaSets with former templates, as far as a rolling update may do so now: pods that are not available first, then as many as are available
 * beyond the minimum.
 */
export function scaleOld(deployment: Deployment, current: ReplicaSet, old: readonly ReplicaSet[]): Scaling[] {
  const active = old.filter(isActive).toSorted(byCreation);
  if (active.length === 0) return [];
  const minAvailable = desiredReplicas(deployment) - maxUnavailable(deployment);
  const unavailableOfCurrent = sizeOf(current) - available(current);
  const maxRemoved = sum(old, sizeOf) + sizeOf(current) - minAvailable - unavailableOfCurrent;
  if (maxRemoved <= 0) return [];

  const scalings: Scaling[] = [];
  const sizes = new Map(active.map((set) => [set, sizeOf(set)]));
  const shrink = (set: ReplicaSet, removed: number) => {
    const replicas = (sizes.get(set) ?? 0) - removed;
    sizes.set(set, replicas);
    scalings.push({ set, replicas });
  };
  let left = maxRemoved;
  for (const set of active) {
    const unavailable = sizeOf(set) - available(set);
    if (left === 0 || unavailable === 0) continue;
    // The set was just shrunk, and its status still counts the pods that go: nothing follows from it yet.
    if (unavailable < 0) return scalings;
    const removed = Math.min(left, unavailable);
    left -= removed;
    shrink(set, removed);
  }
  let surplus = sum(active, available) + available(current) - minAvailable;
  for (const set of active) {
    const removed = Math.min(surplus, sizes.get(set) ?? 0);
    if (removed <= 0) continue;
    surplus -= removed;
    shrink(set, removed);
  }
  return scalings;
}

/** Removes all pods of former templates. */
export const scaleOldToZero = (old: readonly ReplicaSet[]): Scaling[] =>
  old.filter(isActive).map((set) => ({ set, replicas: 0 }));

/** Whether the replicas of a Deployment were changed since its ReplicaSets were scaled. */
export const isScaled = (deployment: Deployment, sets: readonly ReplicaSet[]): boolean =>
  sets
    .filter(isActive)
    .some(
      (set) =>
        (annotatedNumber(set, desiredReplicasAnnotation) ?? desiredReplicas(deployment)) !==
        desiredReplicas(deployment),
    );

/**
 * Follows a change of the replicas, also during a rollout or a pause: a single ReplicaSet with pods gets all replicas; several share them in proportion
 * to their sizes. Source: scale in k8s.io/kubernetes/pkg/controller/deployment/sync.go.
 */
export function scaleToReplicas(deployment: Deployment, sets: ReplicaSetsOfDeployment): Scaling[] {
  const { current, old } = sets;
  const active = allSets(sets).filter(isActive);
  const single = active.length > 1 ? undefined : (active[0] ?? current ?? old.toSorted(byCreation).at(-1));
  if (single !== undefined) {
    const replicas = desiredReplicas(deployment);
    return sizeOf(single) === replicas ? [] : [{ set: single, replicas }];
  }
  if (active.length === 0) return [];
  if (current !== undefined && isSaturated(deployment, current)) return scaleOldToZero(old);
  return isRollingUpdate(deployment) ? scaleInProportion(deployment, active) : [];
}

function isSaturated(deployment: Deployment, set: ReplicaSet): boolean {
  const desired = desiredReplicas(deployment);
  return (
    sizeOf(set) === desired && annotatedNumber(set, desiredReplicasAnnotation) === desired && available(set) === desired
  );
}

function scaleInProportion(deployment: Deployment, active: readonly ReplicaSet[]): Scaling[] {
  const allowed = desiredReplicas(deployment) > 0 ? maxReplicas(deployment) : 0;
  const toAdd = allowed - sum(active, sizeOf);
  // Of equally large ones, the newer grow first, and the older shrink first.
  const sorted = active.toSorted(
    (a, b) => sizeOf(b) - sizeOf(a) || (toAdd > 0 ? byCreation(b, a) : toAdd < 0 ? byCreation(a, b) : 0),
  );
  let added = 0;
  const sizes = sorted.map((set) => {
    const share = proportion(deployment, set, toAdd, toAdd - added);
    added += share;
    return sizeOf(set) + share;
  });
  return sorted.map((set, i) => {
    const size = (sizes[i] ?? 0) + (i === 0 ? toAdd - added : 0);
    return { set, replicas: Math.max(0, size), isForced: true };
  });
}

/** How many of the replicas to add (negative: to remove) a ReplicaSet gets; `left` are not given to others yet. */
function proportion(deployment: Deployment, set: ReplicaSet, toAdd: number, left: number): number {
  if (toAdd === 0 || left === 0) return 0;
  const share = fraction(deployment, set);
  return toAdd > 0 ? Math.min(share, left) : Math.max(share, left);
}

function fraction(deployment: Deployment, set: ReplicaSet): number {
  const size = sizeOf(set);
  if (desiredReplicas(deployment) === 0) return -size;
  // Without the annotation, the present size of the Deployment is the best estimate of the former one.
  const before = annotatedNumber(set, maxReplicasAnnotation) || (deployment.status?.replicas ?? 0);
  if (before === 0) return 0;
  return Math.trunc((size * maxReplicas(deployment)) / before + 0.5) - size;
}
