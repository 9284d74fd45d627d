import type { Node, Pod } from '@apichain/api/core/v1';
import { byNodeName, objectKey } from '@apichain/client';
import { currentTime, isStatusError } from '@apichain/meta';
import type { ControllerContext, Running } from '../context.ts';
import { controllerParts } from '../controller-parts.ts';
import { isPodTerminal } from '../workloads/pod-status.ts';
import { nodes as nodesOf, pods as podsOf } from '../workloads/resources.ts';
import { endedBeyond, garbageReason } from './garbage.ts';
import { removePod } from './remove-pod.ts';

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
