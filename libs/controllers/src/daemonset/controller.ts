import type { DaemonSet } from '@apichain/api/apps/v1';
import type { Node, Pod } from '@apichain/api/core/v1';
import { byController, objectKey, orphansOf, controllerReference, isControlledBy, writeStatus } from '@apichain/client';
import {
  asError,
  currentTime,
  deepEqual,
  integer,
  isStatusError,
  labelSelectorFromObject,
  semanticEqual,
  isNamespaceTerminating,
  BoundedCache,
} from '@apichain/meta';
import { forEachLimited, newEventRecorder, type ControllerContext, type Running } from '../context.ts';
import { controllerParts } from '../controller-parts.ts';
import { claim } from '../workloads/claim.ts';
import { followDependents } from '../workloads/dependents.ts';
import { Expectations } from '../workloads/expectations.ts';
import { createPod, deletePod, podFromTemplate } from '../workloads/pod-control.ts';
import { nextAvailabilityIn } from '../workloads/pod-status.ts';
import { controllerRevisions, nodes as nodesOf, pods as podsOf } from '../resources.ts';
import { slowStart } from '../workloads/slow-start.ts';
import { byTargetNode, daemonTemplate, eligibilityOf } from './daemon-pod.ts';
import { daemonSetKind, ensureHistory, hashOf, surplusRevisions, type DaemonHistory } from './history.ts';
import { daemonNodes, groupByNode, placePods, updateStep, type Changes, type Placement } from './placement.ts';
import { daemonSetStatus } from './status.ts';

/** How many pods are created or deleted before their appearance is awaited. */
const maxBurst = 250;
const parallelDeletions = 16;

/** Keeps a pod on each node that is eligible: https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/ */
export function daemonSets(context: ControllerContext): Running {
  const { client } = context;
  const { queue, enqueue, informer, run } = controllerParts(context, 'daemonset-controller');
  const recorder = newEventRecorder(context, 'daemonset-controller');
  const expectations = new Expectations();
  const failedPods = new FailedPods();
  const owners = informer(daemonSetKind.resource);
  const pods = informer(podsOf);
  const nodes = informer(nodesOf);
  const revisions = informer(controllerRevisions);
  const podsByController = pods.index(byController);
  const podsByNode = pods.index(byTargetNode);
  const revisionsByController = revisions.index(byController);
  const selectorOf = ({ spec }: DaemonSet) => labelSelectorFromObject(spec?.selector);

  owners.addHandlers({
    onAdd: enqueue,
    onUpdate: (daemonSet, old) => {
      if (daemonSet.metadata.uid !== old.metadata.uid) expectations.forget(objectKey(old));
      enqueue(daemonSet);
    },
    onDelete: enqueue,
  });
  followDependents({
    owners,
    dependents: pods,
    kind: 'DaemonSet',
    selectorOf,
    enqueue,
    onCreated: (daemonSet) => expectations.creationObserved(objectKey(daemonSet)),
    onDeleted: (daemonSet, { metadata }) => expectations.deletionObserved(objectKey(daemonSet), metadata.uid ?? ''),
  });
  followDependents({ owners, dependents: revisions, kind: 'DaemonSet', selectorOf, enqueue });
  nodes.addHandlers({
    onAdd: enqueueForNode,
    onUpdate: (node, old) => {
      const hasSameLabels = semanticEqual(node.metadata.labels, old.metadata.labels);
      if (!hasSameLabels || !semanticEqual(node.spec?.taints, old.spec?.taints)) enqueueForNode(node);
    },
    onDelete: () => owners.list().forEach(enqueue),
  });

  /** Enqueues the DaemonSets that have something to do because of the labels or taints of a node. */
  function enqueueForNode(node: Node): void {
    const present = podsByNode.get(node.metadata.name ?? '');
    for (const daemonSet of owners.list()) {
      const { shouldRun, mayStay } = eligibilityOf(daemonSet, node);
      const hasPod = present.some((pod) => isControlledBy(pod, daemonSet));
      const isMisplaced = hasPod && (!mayStay || (daemonSet.status?.numberMisscheduled ?? 0) > 0);
      if (isMisplaced || (shouldRun && !hasPod)) enqueue(daemonSet);
    }
  }

  async function reconcile(key: string): Promise<void> {
    const daemonSet = owners.get(key);
    if (daemonSet === undefined) return expectations.forget(key);
    if (deepEqual(daemonSet.spec?.selector, {})) {
      const message = 'This daemon set is selecting all pods. A non-empty selector is required.';
      return recorder.event(daemonSet, 'Warning', 'SelectingAll', message);
    }
    if (daemonSet.metadata.deletionTimestamp !== undefined) return;
    const pendingMs = expectations.pendingMs(key);
    const owned = await claimPods(daemonSet);
    const history = await ensureHistory(client, daemonSet, await claimRevisions(daemonSet), owned);
    if (pendingMs > 0) {
      queue.addAfter(key, pendingMs);
      return updateStatus(key, placementOf(daemonSet, history, owned), false);
    }
    const failure = await update(key, daemonSet, history, owned).then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
    await updateStatus(key, placementOf(daemonSet, history, await claimPods(daemonSet)), true);
    if (failure !== undefined) throw failure.error;
  }

  const placementOf = (daemonSet: DaemonSet, history: DaemonHistory, owned: readonly Pod[]): Placement => ({
    daemonSet,
    hash: hashOf(history),
    nodes: daemonNodes(daemonSet, nodes.list()),
    podsByNode: groupByNode(owned),
    now: currentTime(),
  });

  /** The pods of a DaemonSet, as the informer shows them now, after adoptions and releases. */
  function claimPods(daemonSet: DaemonSet): Promise<Pod[]> {
    const { namespace = '', uid = '' } = daemonSet.metadata;
    return claim({
      client,
      kind: daemonSetKind,
      owner: daemonSet,
      selector: selectorOf(daemonSet),
      resource: podsOf,
      objectKind: 'Pod',
      candidates: [...podsByController.get(uid), ...podsByController.get(orphansOf(namespace))],
    });
  }

  function claimRevisions(daemonSet: DaemonSet) {
    const { namespace = '', uid = '' } = daemonSet.metadata;
    return claim({
      client,
      kind: daemonSetKind,
      owner: daemonSet,
      selector: selectorOf(daemonSet),
      resource: controllerRevisions,
      objectKind: 'ControllerRevision',
      candidates: [...revisionsByController.get(uid), ...revisionsByController.get(orphansOf(namespace))],
    });
  }

  async function update(key: string, daemonSet: DaemonSet, history: DaemonHistory, owned: readonly Pod[]) {
    const placement = placementOf(daemonSet, history, owned);
    const changes = placePods(placement, (nodeName) => mayReplaceFailed(key, daemonSet, nodeName, placement.now));
    for (const pod of changes.remove) reportEnded(daemonSet, pod);
    await apply(key, placement, changes);
    if (daemonSet.spec?.updateStrategy?.type === 'RollingUpdate' && expectations.pendingMs(key) === 0) {
      const refreshed = placementOf(daemonSet, history, await claimPods(daemonSet));
      await apply(key, refreshed, updateStep(refreshed));
    }
    const { namespace = '' } = daemonSet.metadata;
    for (const { metadata } of surplusRevisions(daemonSet, history.old, owned))
      await client.delete({ ...controllerRevisions, namespace }, metadata.name ?? '');
  }

  function mayReplaceFailed(key: string, { metadata, status }: DaemonSet, nodeName: string, now: number): boolean {
    const wait = failedPods.replaceIn(`${metadata.uid}/${integer(status?.observedGeneration)}/${nodeName}`, now);
    if (wait > 0) queue.addAfter(key, wait);
    return wait === 0;
  }

  function reportEnded(daemonSet: DaemonSet, { metadata: { namespace, name }, spec, status }: Pod): void {
    const what = `daemon pod ${namespace}/${name} on node ${spec?.nodeName}, will try to`;
    if (status?.phase === 'Failed')
      recorder.event(daemonSet, 'Warning', 'FailedDaemonPod', `Found failed ${what} kill it`);
    if (status?.phase === 'Succeeded')
      recorder.event(daemonSet, 'Normal', 'SucceededDaemonPod', `Found succeeded ${what} delete it`);
  }

  /** Creates and deletes pods, then throws the first error. */
  async function apply(key: string, { daemonSet, hash }: Placement, changes: Changes): Promise<void> {
    const create = changes.create.slice(0, maxBurst);
    const remove = changes.remove.slice(0, maxBurst);
    if (create.length + remove.length === 0) return;
    expectations.expect(
      key,
      create.length,
      remove.map(({ metadata }) => metadata.uid ?? ''),
    );
    const reference = controllerReference(daemonSetKind, daemonSet);
    let refused = 0;
    const { succeeded, error } = await slowStart(create.length, async (index) => {
      const template = daemonTemplate(daemonSet, hash, create[index] ?? '');
      try {
        await createPod({ client, recorder }, podFromTemplate(template, daemonSet, reference), daemonSet);
      } catch (failure) {
        if (!isNamespaceTerminating(failure)) throw failure;
        refused++;
      }
    });
    expectations.creationObserved(key, create.length - succeeded + refused);
    await forEachLimited(remove, parallelDeletions, async (pod) => {
      try {
        await deletePod({ client, recorder }, pod, daemonSet);
      } catch (failure) {
        expectations.deletionObserved(key, pod.metadata.uid ?? '');
        if (!isStatusError(failure, 'NotFound')) throw failure;
      }
    });
    if (error !== undefined) throw asError(error);
  }

  async function updateStatus(key: string, placement: Placement, isObserved: boolean): Promise<void> {
    const { daemonSet, now } = placement;
    const status = daemonSetStatus(placement, isObserved);
    if (!semanticEqual(daemonSet.status, status)) await writeStatus(client, daemonSetKind.resource, daemonSet, status);
    const { minReadySeconds = 0 } = daemonSet.spec ?? {};
    const next = nextAvailabilityIn([...placement.podsByNode.values()].flat(), minReadySeconds, now);
    if (minReadySeconds > 0 && next !== undefined) queue.addAfter(key, next);
  }

  return run(reconcile);
}

interface Backoff {
  readonly delayMs: number;
  readonly since: number;
}

const initialMs = 1_000;
const maxMs = 15 * 60_000;

/** How long a failed pod of a node stays before it is replaced: longer after each failure, so that a node that rejects pods is not flooded. */
export class FailedPods {
  readonly #backoffs = new BoundedCache<Backoff>({ maxEntries: 10_000 });

  /** How many milliseconds a failed pod still has to stay. With 0 it is replaced now, and the next one stays longer. */
  replaceIn(key: string, now: number): number {
    const backoff = this.#backoffs.get(key);
    const passed = now - (backoff?.since ?? 0);
    if (backoff !== undefined && passed < backoff.delayMs) return backoff.delayMs - passed;
    const isRecent = backoff !== undefined && passed <= 2 * maxMs;
    this.#backoffs.set(key, { delayMs: isRecent ? Math.min(2 * backoff.delayMs, maxMs) : initialMs, since: now });
    return 0;
  }
}
