import type { Node, Pod } from '@apichain/api/core/v1';
import { byNodeName, objectKey, type RestClient } from '@apichain/client';
import { currentTime, isStatusError, compareText, findCondition, integer } from '@apichain/meta';
import type { ControllerContext, Running } from '../context.ts';
import { controllerParts } from '../controller-parts.ts';
import { milliseconds } from '../timestamps.ts';
import { conditionPatch, disruptionTarget, patchPodStatus } from '../workloads/disruption-target.ts';
import { isPodTerminal } from '../workloads/pod-status.ts';
import { nodes as nodesOf, pods as podsOf } from '../resources.ts';

/** As in kube-controller-manager. */
const quarantineMs = 40_000;
/** The key for the number of pods that have ended. No pod has it. */
const endedPods = 'ended pods';

/**
 * Deletes pods that nobody else would: those that have ended when there are too many, those of nodes that do not exist, and those whose deletion no
 * kubelet completes. Sets them to Failed first.
 * Source: https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-garbage-collection
 */
export function podGarbageCollector(context: ControllerContext): Running {
  const { client, settings } = context;
  const threshold = settings['terminated-pod-gc-threshold'];
  const kept = threshold > 0 ? threshold : Infinity;
  const { queue, informer, run } = controllerParts(context, 'pod-garbage-collector-controller');
  const pods = informer(podsOf);
  const nodes = informer(nodesOf);
  const podsOnNode = pods.index(byNodeName);
  /** Since when nodes of pods have been missing, by name. */
  const missingSince = new Map<string, number>();
  let ended = 0;

  const enqueue = (pod: Pod) => {
    if (garbageReason(pod, (name) => nodes.get(name)) !== undefined) queue.add(objectKey(pod));
  };
  const enqueuePodsOf = (node: Node) => {
    for (const pod of podsOnNode.get(node.metadata.name ?? '')) enqueue(pod);
  };
  const countEnded = (change: number) => {
    ended += change;
    if (ended > kept) queue.add(endedPods);
  };
  pods.addHandlers({
    onAdd: (pod) => {
      countEnded(Number(isPodTerminal(pod)));
      enqueue(pod);
    },
    onUpdate: (pod, old) => {
      countEnded(Number(isPodTerminal(pod)) - Number(isPodTerminal(old)));
      enqueue(pod);
    },
    onDelete: (pod) => {
      countEnded(-Number(isPodTerminal(pod)));
      const { nodeName = '' } = pod.spec ?? {};
      if (podsOnNode.get(nodeName).length === 0) missingSince.delete(nodeName);
    },
  });
  nodes.addHandlers({
    onAdd: ({ metadata }) => missingSince.delete(metadata.name ?? ''),
    onUpdate: enqueuePodsOf,
    onDelete: enqueuePodsOf,
  });

  async function reconcile(key: string): Promise<void> {
    if (key === endedPods) {
      for (const pod of endedBeyond(kept, pods.list())) await removePod(client, pod, false);
      return;
    }
    const pod = pods.get(key);
    if (pod === undefined) return;
    const reason = garbageReason(pod, (name) => nodes.get(name));
    if (reason === undefined) return;
    const isOrphaned = reason === 'orphaned';
    if (isOrphaned && !(await isNodeGone(key, pod.spec?.nodeName ?? ''))) return;
    await removePod(client, pod, isOrphaned);
  }

  /** Whether a node has been missing for long, and the server has none either. */
  async function isNodeGone(key: string, name: string): Promise<boolean> {
    const since = missingSince.get(name) ?? currentTime();
    missingSince.set(name, since);
    const remaining = since + quarantineMs - currentTime();
    if (remaining > 0) {
      queue.addAfter(key, remaining);
      return false;
    }
    try {
      await client.get(nodesOf, name, undefined, { metadataOnly: true });
      return false;
    } catch (error) {
      if (isStatusError(error, 'NotFound')) return true;
      throw error;
    }
  }

  return run(reconcile);
}

/** Why a pod is garbage. */
type GarbageReason = 'unscheduled' | 'out-of-service' | 'orphaned';

/**
 * Why a pod is garbage, apart from the number of pods that have ended: it is being deleted and was never scheduled, or on a node that is out of service;
 * or its node does not exist.
 */
export function garbageReason(
  { metadata, spec }: Pod,
  nodeOf: (name: string) => Node | undefined,
): GarbageReason | undefined {
  const isTerminating = metadata.deletionTimestamp !== undefined;
  const { nodeName = '' } = spec ?? {};
  if (nodeName === '') return isTerminating ? 'unscheduled' : undefined;
  const node = nodeOf(nodeName);
  if (node === undefined) return 'orphaned';
  return isTerminating && isOutOfService(node) ? 'out-of-service' : undefined;
}

/** Whether a node is not ready, and marked as shut down by the administrator. */
function isOutOfService({ spec, status }: Node): boolean {
  const isReady = findCondition(status?.conditions, 'Ready')?.status === 'True';
  return !isReady && (spec?.taints ?? []).some(({ key }) => key === 'node.kubernetes.io/out-of-service');
}

/** The pods that have ended beyond the threshold: evicted ones first, then the oldest. A threshold of 0 keeps all. */
export function endedBeyond(threshold: number, pods: readonly Pod[]): Pod[] {
  const ended = pods.filter(isPodTerminal);
  const surplus = ended.length - threshold;
  return threshold <= 0 || surplus <= 0 ? [] : ended.sort(compareAge).slice(0, surplus);
}

function compareAge(left: Pod, right: Pod): number {
  const evicted = Number(isEvicted(right)) - Number(isEvicted(left));
  if (evicted !== 0) return evicted;
  const [a, b] = [left, right].map(({ metadata }) => milliseconds(metadata.creationTimestamp) ?? 0);
  return (a ?? 0) - (b ?? 0) || compareText(left.metadata.name ?? '', right.metadata.name ?? '');
}

const isEvicted = ({ status }: Pod): boolean => status?.phase === 'Failed' && status.reason === 'Evicted';

/**
 * Sets a pod to Failed, if it has not ended, and deletes it without a kubelet. This pod only: its name may have another one by now, because a StatefulSet makes
 * its pods anew as soon as they are gone.
 */
export async function removePod(client: RestClient, pod: Pod, isOrphaned: boolean): Promise<void> {
  const { namespace = '', name = '', uid, generation } = pod.metadata;
  try {
    if (!isPodTerminal(pod)) {
      const condition = disruptionTarget('DeletionByPodGC', 'PodGC: node no longer exists');
      const patch = isOrphaned ? conditionPatch(pod, condition) : undefined;
      await patchPodStatus(client, pod, {
        phase: 'Failed',
        observedGeneration: integer(generation),
        ...(patch !== undefined && { conditions: [patch] }),
      });
    }
    await client
      .delete({ ...podsOf, namespace }, name, { gracePeriodSeconds: 0, preconditions: { uid } })
      .catch(unlessReplaced);
  } catch (error) {
    if (!isStatusError(error, 'NotFound')) throw error;
  }
}

function unlessReplaced(error: unknown): void {
  if (!isStatusError(error, 'Conflict')) throw error;
}
