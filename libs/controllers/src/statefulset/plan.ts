import type { StatefulSet } from '@apichain/api/apps/v1';
import type { PersistentVolumeClaim, Pod, PodTemplateSpec } from '@apichain/api/core/v1';
import { scaledValue } from '../workloads/int-or-percent.ts';
import { isPodAvailable, isPodReady, isPodTerminal } from '../workloads/pod-status.ts';
import { claimOwners, isClaimStale } from './claim-owners.ts';
import {
  claimName,
  hasIdentity,
  isInRange,
  minReadySecondsOf,
  ordinalOf,
  podOf,
  replicasOf,
  revisionOf,
  startOrdinal,
} from './identity.ts';

/** The template of a revision, and the name of the revision. */
interface NamedTemplate {
  readonly name: string;
  readonly template: PodTemplateSpec;
}

/** All that the next steps of a StatefulSet depend on. */
export interface StatefulSetState {
  readonly set: StatefulSet;
  readonly pods: readonly Pod[];
  /** The revision that was rolled out last, and the one to roll out. */
  readonly current: NamedTemplate;
  readonly update: NamedTemplate;
  /** The claim of a name. */
  readonly claim: (name: string) => PersistentVolumeClaim | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** What to do about one pod. */
export type Action =
  /** Creates the claims of the pod that do not exist, then the pod. */
  | { readonly type: 'create'; readonly pod: Pod }
  | { readonly type: 'delete'; readonly pod: Pod; readonly isForUpdate?: boolean }
  /** Creates the claims that do not exist. */
  | { readonly type: 'createClaims'; readonly pod: Pod }
  /** Restores the identity of a pod and the owners of its claims. */
  | { readonly type: 'repair'; readonly pod: Pod }
  | { readonly type: 'setClaimOwners'; readonly pod: Pod };

/** Actions about different pods, which may run in parallel. Those about one pod run in order. */
export type Phase = readonly (readonly Action[])[];

/**
 * The phases of the next step, each of which begins when the one before has succeeded. With ordered pods each phase has what may happen before
 * something has to be awaited. Source: updateStatefulSet in k8s.io/kubernetes/pkg/controller/statefulset/stateful_set_control.go.
 */
export function planStep(state: StatefulSetState): Phase[] {
  const { set, pods } = state;
  if (set.metadata.deletionTimestamp !== undefined) return [];
  const present = new Map(pods.filter((pod) => isInRange(set, pod)).map((pod) => [ordinalOf(pod), pod]));
  const replicas = Array.from({ length: replicasOf(set) }, (_, index) => {
    const ordinal = startOrdinal(set) + index;
    return present.get(ordinal) ?? newPod(state, ordinal);
  });
  const condemned = pods
    .filter((pod) => !isInRange(set, pod) && ordinalOf(pod) >= 0)
    .sort((a, b) => ordinalOf(b) - ordinalOf(a));
  const ordered = set.spec?.podManagementPolicy !== 'Parallel';

  const kept = runUntilBlocked(replicas, ordered, (pod) => replicaActions(state, pod));
  if (kept.isBlocked) return [kept.phase];
  const owners = condemned
    .filter((pod) => needsClaimOwners(state, pod))
    .map((pod): Action[] => [{ type: 'setClaimOwners', pod }]);
  const firstUnavailable = [...replicas, ...condemned.toReversed()].find((pod) => isUnavailable(state, pod));
  const removed = runUntilBlocked(condemned, ordered, (pod) => condemnedActions(state, pod, firstUnavailable));
  if (removed.isBlocked) return [kept.phase, owners, removed.phase];
  return [kept.phase, owners, removed.phase, updateActions(state, replicas)];
}

/** The actions about a pod, and whether ordered pods after it have to wait. */
interface PodStep {
  readonly actions: readonly Action[];
  readonly isBlocking: boolean;
}

function runUntilBlocked(
  pods: readonly Pod[],
  ordered: boolean,
  stepOf: (pod: Pod) => PodStep,
): { readonly phase: Phase; readonly isBlocked: boolean } {
  const phase: (readonly Action[])[] = [];
  for (const pod of pods) {
    const { actions, isBlocking } = stepOf(pod);
    if (actions.length > 0) phase.push(actions);
    if (ordered && isBlocking) return { phase, isBlocked: true };
  }
  return { phase, isBlocked: false };
}

/** Whether a pod exists on the server. */
export const isCreated = ({ status }: Pod): boolean => (status?.phase ?? '') !== '';

const isTerminating = ({ metadata }: Pod): boolean => metadata.deletionTimestamp !== undefined;

export const isRunningAndReady = (pod: Pod): boolean => pod.status?.phase === 'Running' && isPodReady(pod);

const isAvailable = ({ set, now }: StatefulSetState, pod: Pod): boolean =>
  isPodAvailable(pod, minReadySecondsOf(set), now);

const isUnavailable = (state: StatefulSetState, pod: Pod): boolean => !isAvailable(state, pod) || isTerminating(pod);

/** The pod of an ordinal that has none: with the former template below the partition of an update. */
function newPod({ set, current, update }: StatefulSetState, ordinal: number): Pod {
  const { type, rollingUpdate } = set.spec?.updateStrategy ?? {};
  const index = ordinal - startOrdinal(set);
  const isCurrent =
    rollingUpdate === undefined
      ? type === 'RollingUpdate' && index < (set.status?.currentReplicas ?? 0)
      : index < (rollingUpdate.partition ?? 0);
  const { template, name } = isCurrent ? current : update;
  return podOf(set, template, name, ordinal);
}

function claimsPresent({ set, claim }: StatefulSetState, pod: Pod): PersistentVolumeClaim[] {
  const templates = set.spec?.volumeClaimTemplates ?? [];
  return templates.flatMap((template) => claim(claimName(set, template, ordinalOf(pod))) ?? []);
}

const needsClaimOwners = (state: StatefulSetState, pod: Pod): boolean =>
  claimsPresent(state, pod).some((claim) => claimOwners(state.set, claim, pod) !== undefined);

function replicaActions(state: StatefulSetState, pod: Pod): PodStep {
  if (isPodTerminal(pod)) return { actions: isTerminating(pod) ? [] : [{ type: 'delete', pod }], isBlocking: true };
  if (!isCreated(pod)) {
    // The claims of the former pod have to go before those of its successor are created.
    const isStale = claimsPresent(state, pod).some((claim) => isClaimStale(state.set, claim, pod));
    return { actions: isStale ? [] : [{ type: 'create', pod }], isBlocking: true };
  }
  const actions: Action[] = pod.status?.phase === 'Pending' ? [{ type: 'createClaims', pod }] : [];
  const ordered = state.set.spec?.podManagementPolicy !== 'Parallel';
  if (ordered && (isTerminating(pod) || !isRunningAndReady(pod) || !isAvailable(state, pod)))
    return { actions, isBlocking: true };
  if (!hasIdentity(state.set, pod) || needsClaimOwners(state, pod)) actions.push({ type: 'repair', pod });
  return { actions, isBlocking: false };
}

/** Ordered pods are removed one by one, when all others are available. */
function condemnedActions(state: StatefulSetState, pod: Pod, firstUnavailable: Pod | undefined): PodStep {
  if (isTerminating(pod)) return { actions: [], isBlocking: true };
  const ordered = state.set.spec?.podManagementPolicy !== 'Parallel';
  const isHealthy = isRunningAndReady(pod) && isAvailable(state, pod);
  if (ordered && !isHealthy && pod !== firstUnavailable) return { actions: [], isBlocking: true };
  return { actions: [{ type: 'delete', pod }], isBlocking: true };
}

/** Deletes pods with other templates from the last down to the partition: one at a time, or as many as may be unavailable. */
function updateActions(state: StatefulSetState, replicas: readonly Pod[]): Phase {
  const { type, rollingUpdate } = state.set.spec?.updateStrategy ?? {};
  if (type === 'OnDelete') return [];
  const candidates = replicas.slice(rollingUpdate?.partition ?? 0).reverse();
  const isOutdated = (pod: Pod) => revisionOf(pod) !== state.update.name && !isTerminating(pod);
  const deletion = (pod: Pod): Action[] => [{ type: 'delete', pod, isForUpdate: true }];
  if (rollingUpdate?.maxUnavailable !== undefined) {
    const max = Math.max(1, scaledValue(rollingUpdate.maxUnavailable, replicas.length, 'down'));
    const unavailable = replicas.filter((pod) => isUnavailable(state, pod)).length;
    return candidates
      .filter(isOutdated)
      .slice(0, Math.max(0, max - unavailable))
      .map(deletion);
  }
  const next = candidates.find((pod) => isOutdated(pod) || isUnavailable(state, pod));
  return next !== undefined && isOutdated(next) ? [deletion(next)] : [];
}
