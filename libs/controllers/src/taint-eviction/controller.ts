import type { Node, Pod, Taint, Toleration } from '@apichain/api/core/v1';
import { byNodeName, objectKey } from '@apichain/client';
import { currentTime, deepEqual, isStatusError, integer } from '@apichain/meta';
import { type ControllerContext, type Running, newEventRecorder } from '../context.ts';
import { controllerParts } from '../controller-parts.ts';
import { conditionPatch, disruptionTarget, patchPodStatus } from '../workloads/disruption-target.ts';
import { nodes as nodesOf, pods as podsOf } from '../resources.ts';
import { tolerates } from '@apichain/component-helpers';

/**
 * Deletes pods from nodes with a NoExecute taint, at once or when they no longer tolerate it.
 * Source: https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/#taint-based-evictions
 */
export function taintEviction(context: ControllerContext): Running {
  const { client } = context;
  const name = 'taint-eviction-controller';
  const { queue, informer, run } = controllerParts(context, name);
  const pods = informer(podsOf);
  const nodes = informer(nodesOf);
  const podsOnNode = pods.index(byNodeName);
  const events = newEventRecorder(context, name);
  /** When pods will be evicted, by key. */
  const due = new Map<string, number>();
  /** The uids of pods whose eviction has begun, by key. */
  const evicted = new Map<string, string>();

  pods.addHandlers({
    onAdd: (pod) => queue.add(objectKey(pod)),
    onUpdate: (pod, old) => {
      const isSame =
        pod.spec?.nodeName === old.spec?.nodeName && deepEqual(pod.spec?.tolerations, old.spec?.tolerations);
      if (!isSame) queue.add(objectKey(pod));
    },
    onDelete: (pod) => {
      evicted.delete(objectKey(pod));
      queue.add(objectKey(pod));
    },
  });
  const enqueuePodsOf = ({ metadata }: Node) => {
    for (const pod of podsOnNode.get(metadata.name ?? '')) queue.add(objectKey(pod));
  };
  nodes.addHandlers({
    onAdd: (node) => {
      if (evictingTaints(node.spec?.taints).length > 0) enqueuePodsOf(node);
    },
    onUpdate: (node, old) => {
      if (!deepEqual(evictingTaints(node.spec?.taints), evictingTaints(old.spec?.taints))) enqueuePodsOf(node);
    },
  });

  async function reconcile(key: string): Promise<void> {
    const pod = pods.get(key);
    if (pod === undefined) return cancel(key);
    const node = nodes.get(pod.spec?.nodeName ?? '');
    const planned = due.get(key);
    const now = currentTime();
    if (planned !== undefined && planned <= now) {
      due.delete(key);
      return evict(key, pod);
    }
    if (planned !== undefined) queue.addAfter(key, planned - now);
    // What a node was to lose, it loses when it is gone too.
    if (node === undefined) return;
    const taints = evictingTaints(node.spec?.taints);
    const tolerated = taints.length === 0 ? Infinity : toleratedMs(taints, pod.spec?.tolerations ?? []);
    if (tolerated === Infinity) return cancel(key);
    if (tolerated === 0) {
      cancel(key);
      return evict(key, pod);
    }
    if (planned !== undefined) return;
    due.set(key, now + tolerated);
    queue.addAfter(key, tolerated);
  }

  function cancel(key: string): void {
    if (due.delete(key)) record(key, `Cancelling deletion of Pod ${key}`);
  }

  function record(key: string, message: string): void {
    const [namespace = '', podName = ''] = key.split('/');
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { namespace, name: podName } };
    events.event(pod, 'Normal', 'TaintManagerEviction', message);
  }

  async function evict(key: string, pod: Pod): Promise<void> {
    const { namespace = '', name: podName = '', uid = '' } = pod.metadata;
    if (evicted.get(key) === uid) return;
    record(key, `Marking for deletion Pod ${key}`);
    const ref = { ...podsOf, namespace };
    try {
      const live = await client.get<Pod>(ref, podName);
      // A StatefulSet makes its pods anew under their names.
      if (live.metadata.uid !== uid) return;
      const condition = disruptionTarget('DeletionByTaintManager', 'Taint manager: deleting due to NoExecute taint');
      const patch = conditionPatch(live, condition);
      if (patch !== undefined) await patchPodStatus(client, live, { conditions: [patch] });
      await client.delete(ref, podName, { preconditions: { uid } });
    } catch (error) {
      if (!isStatusError(error, 'NotFound')) throw error;
    }
    evicted.set(key, uid);
  }

  return run(reconcile);
}

/** The taints that evict pods which run already. */
const evictingTaints = (taints: readonly Taint[] | null | undefined): Taint[] =>
  (taints ?? []).filter(({ effect }) => effect === 'NoExecute');

/** For how many milliseconds a pod may stay on a node with these taints: 0 if it does not tolerate one of them, Infinity if it tolerates all for ever. */
export function toleratedMs(taints: readonly Taint[], tolerations: readonly Toleration[]): number {
  const used = taints.map((taint) => tolerations.find((toleration) => tolerates(toleration, taint)));
  if (used.includes(undefined)) return 0;
  const seconds = used.map((toleration) =>
    toleration?.tolerationSeconds === undefined ? Infinity : integer(toleration.tolerationSeconds),
  );
  return Math.max(0, Math.min(Infinity, ...seconds)) * 1_000;
}
