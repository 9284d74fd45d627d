import type { DaemonSet } from '@apichain/api/apps/v1';
import type { Node, Pod } from '@apichain/api/core/v1';
import { revisionLabel } from '../workloads/revision.ts';
import { scaledValue } from '../workloads/int-or-percent.ts';
import { isPodAvailable, isPodReady, isPodTerminal } from '../workloads/pod-status.ts';
import { type Eligibility, byAge, eligibilityOf, isUpdated, targetNode } from './daemon-pod.ts';

/** The pods of a DaemonSet by the name of their node. */
type PodsByNode = ReadonlyMap<string, readonly Pod[]>;

/** What a DaemonSet is about to change. */
export interface Changes {
  /** The names of the nodes that get a pod. */
  readonly create: readonly string[];
  readonly remove: readonly Pod[];
}

/** A node, and what a DaemonSet does there. */
interface DaemonNode {
  readonly name: string;
  readonly eligibility: Eligibility;
}

/** All that decisions about a DaemonSet depend on. */
export interface Placement {
  readonly daemonSet: DaemonSet;
  /** The hash of the current template. */
  readonly hash: string;
  readonly nodes: readonly DaemonNode[];
  readonly podsByNode: PodsByNode;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export const daemonNodes = (daemonSet: DaemonSet, nodes: readonly Node[]): DaemonNode[] =>
  nodes.map((node) => ({ name: node.metadata.name ?? '', eligibility: eligibilityOf(daemonSet, node) }));

/** Groups pods by their node. Those that have ended and are being deleted are left to others. */
export function groupByNode(pods: readonly Pod[], includeEnded = false): PodsByNode {
  const groups = new Map<string, Pod[]>();
  for (const pod of pods) {
    if (!includeEnded && isPodTerminal(pod) && pod.metadata.deletionTimestamp !== undefined) continue;
    const node = targetNode(pod);
    if (node === undefined) continue;
    const group = groups.get(node);
    if (group === undefined) groups.set(node, [pod]);
    else group.push(pod);
  }
  return groups;
}

/** How many pods an update may add and take away at once; `desired` is the number of nodes that have one. */
export function updateLimits(
  { spec }: DaemonSet,
  desired: number,
): { readonly maxSurge: number; readonly maxUnavailable: number } {
  const { type, rollingUpdate } = spec?.updateStrategy ?? {};
  const limits = type === 'RollingUpdate' ? rollingUpdate : undefined;
  const maxSurge = scaledValue(limits?.maxSurge, desired, 'up');
  const maxUnavailable = scaledValue(limits?.maxUnavailable, desired, 'up');
  return { maxSurge, maxUnavailable: desired > 0 && maxSurge === 0 && maxUnavailable === 0 ? 1 : maxUnavailable };
}

const isAlive = ({ metadata }: Pod): boolean => metadata.deletionTimestamp === undefined;

const minReadySecondsOf = ({ spec }: DaemonSet): number => spec?.minReadySeconds ?? 0;

const allowsSurge = (daemonSet: DaemonSet): boolean => updateLimits(daemonSet, 1).maxSurge > 0;

/**
 * The pods to create and to delete so that each node has one. Ended pods are deleted, unless `mayReplaceFailed` says that a failed one has to wait.
 * Source: podsShouldBeOnNode in k8s.io/kubernetes/pkg/controller/daemon/daemon_controller.go.
 */
export function placePods(placement: Placement, mayReplaceFailed: (nodeName: string) => boolean): Changes {
  const { nodes, podsByNode } = placement;
  const create: string[] = [];
  const remove: Pod[] = [];
  for (const { name, eligibility } of nodes) {
    const pods = podsByNode.get(name);
    if (pods === undefined) {
      if (eligibility.shouldRun) create.push(name);
    } else if (!eligibility.mayStay) remove.push(...pods.filter(isAlive));
    else {
      const alive = pods.filter(isAlive);
      remove.push(
        ...alive.filter(
          ({ status }) => status?.phase === 'Succeeded' || (status?.phase === 'Failed' && mayReplaceFailed(name)),
        ),
      );
      const running = alive.filter((pod) => !isPodTerminal(pod)).sort(byAge);
      if (running.length > 1) remove.push(...surplusPods(placement, running));
      else if (running.length === 0 && eligibility.shouldRun && allowsSurge(placement.daemonSet)) create.push(name);
    }
  }
  const names = new Set(nodes.map(({ name }) => name));
  for (const [name, pods] of podsByNode)
    if (!names.has(name)) remove.push(...pods.filter(({ spec }) => (spec?.nodeName ?? '') === ''));
  return { create, remove };
}

/**
 * The pods of one node to delete. Without a surge only the oldest stays. With one, an old and a new pod stay, until the new one is available or the old
 * one is not ready.
 */
function surplusPods({ daemonSet, hash, now }: Placement, running: readonly Pod[]): readonly Pod[] {
  if (!allowsSurge(daemonSet)) return running.slice(1);
  const isNew = ({ metadata }: Pod) => metadata.labels?.[revisionLabel] === hash;
  const [newest, ...otherNew] = running.filter(isNew);
  const [oldest, ...otherOld] = running.filter((pod) => !isNew(pod));
  const surplus = [...otherNew, ...otherOld];
  if (newest === undefined || oldest === undefined) return surplus;
  const isReplaced = !isPodReady(oldest) || isPodAvailable(newest, minReadySecondsOf(daemonSet), now);
  return isReplaced ? [...surplus, oldest] : surplus;
}

/** The current and the former pod of a node; undefined if it has several of one sort, which are removed first. */
function pairOnNode(placement: Placement, pods: readonly Pod[]): { current?: Pod; former?: Pod } | undefined {
  const alive = pods.filter(isAlive);
  const isCurrent = new Set(alive.filter((pod) => isUpdated(placement.daemonSet, pod, placement.hash)));
  const current = [...isCurrent];
  const former = alive.filter((pod) => !isCurrent.has(pod));
  if (current.length > 1 || former.length > 1) return undefined;
  return { ...(current[0] && { current: current[0] }), ...(former[0] && { former: former[0] }) };
}

/**
 * The next step of a rolling update: former pods to delete, or nodes that get a current pod besides the former one.
 * Source: rollingUpdate in k8s.io/kubernetes/pkg/controller/daemon/update.go.
 */
export function updateStep(placement: Placement): Changes {
  const desired = placement.nodes.filter(({ eligibility }) => eligibility.shouldRun);
  const { maxSurge, maxUnavailable } = updateLimits(placement.daemonSet, desired.length);
  const podsByNode = new Map(placement.podsByNode);
  for (const { name } of desired) if (!podsByNode.has(name)) podsByNode.set(name, []);
  const step = { ...placement, podsByNode };
  return maxSurge === 0 ? replaceStep(step, maxUnavailable) : surgeStep(step, maxSurge, desired.length);
}

/** Deletes former pods that are not available, and others as far as pods may be unavailable. */
function replaceStep(placement: Placement, maxUnavailable: number): Changes {
  const { daemonSet, now } = placement;
  const isAvailable = (pod: Pod) => isPodAvailable(pod, minReadySecondsOf(daemonSet), now);
  let unavailable = 0;
  const broken: Pod[] = [];
  const candidates: Pod[] = [];
  for (const pods of placement.podsByNode.values()) {
    const { current, former } = pairOnNode(placement, pods) ?? {};
    if (former !== undefined && current === undefined) {
      if (isAvailable(former)) candidates.push(former);
      else {
        broken.push(former);
        unavailable++;
      }
    } else if (current === undefined || former !== undefined || !isAvailable(current)) unavailable++;
  }
  return { create: [], remove: [...broken, ...candidates.slice(0, Math.max(0, maxUnavailable - unavailable))] };
}

/** Creates current pods besides former ones, and deletes the former ones when the current are available. */
function surgeStep(placement: Placement, maxSurge: number, desired: number): Changes {
  const { daemonSet, now, nodes } = placement;
  const isAvailable = (pod: Pod) => isPodAvailable(pod, minReadySecondsOf(daemonSet), now);
  const eligible = new Set(nodes.filter(({ eligibility }) => eligibility.shouldRun).map(({ name }) => name));
  let surging = 0;
  let available = 0;
  const remove: Pod[] = [];
  const strayed: Pod[] = [];
  const urgent: string[] = [];
  const candidates: string[] = [];
  for (const [name, pods] of placement.podsByNode) {
    const pair = pairOnNode(placement, pods);
    if (pair === undefined) {
      surging++;
      continue;
    }
    const { current, former } = pair;
    const counted = former ?? current;
    if (counted !== undefined && isAvailable(counted)) available++;
    if (former === undefined) continue;
    if (current === undefined) {
      const isFormerAvailable = isAvailable(former);
      if (eligible.has(name)) (isFormerAvailable ? candidates : urgent).push(name);
      else (isFormerAvailable ? strayed : remove).push(former);
    } else if (isAvailable(current)) remove.push(former);
    else surging++;
  }
  // An available pod on a node that is no longer eligible stays until there are enough others.
  remove.push(...strayed.slice(0, Math.max(0, available - desired)));
  return { create: [...urgent, ...candidates.slice(0, Math.max(0, maxSurge - surging))], remove };
}
