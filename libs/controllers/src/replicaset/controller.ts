import type { ReplicaSet } from '@apichain/api/apps/v1';
import type { Pod, ReplicationController } from '@apichain/api/core/v1';
import {
  byController,
  objectKey,
  orphansOf,
  type ControllerKind,
  controllerOf,
  controllerReference,
  writeStatus,
} from '@apichain/client';
import {
  type LabelSelector,
  asError,
  currentTime,
  isStatusError,
  labelSelectorFromObject,
  semanticEqual,
  isNamespaceTerminating,
} from '@apichain/meta';
import { type ControllerContext, type Running, forEachLimited, newEventRecorder } from '../context.ts';
import { controllerParts } from '../controller-parts.ts';
import type { ControllerName } from '../selection.ts';
import { claim } from '../workloads/claim.ts';
import { followDependents } from '../workloads/dependents.ts';
import { Expectations } from '../workloads/expectations.ts';
import { createPod, deletePod, podFromTemplate } from '../workloads/pod-control.ts';
import { isPodActive, isPodTerminating, nextAvailabilityIn } from '../workloads/pod-status.ts';
import { pods as podsOf, replicaSets as replicaSetsOf, replicationControllers } from '../resources.ts';
import { slowStart } from '../workloads/slow-start.ts';
import { inDeletionOrder } from './pod-ranking.ts';
import { type ReplicaOwner, replicaChange, replicaStatus } from './replicas.ts';

/** One of the two kinds of owners that keep a number of equal pods. */
interface ReplicaKind<Owner extends ReplicaOwner> extends ControllerKind<Owner> {
  /** The name of the controller, and the one in its events. */
  readonly controller: ControllerName;
  readonly component: string;
  readonly selectorOf: (owner: Owner) => LabelSelector;
  /** Whether the status has the number of terminating pods. */
  readonly countsTerminating: boolean;
}

/** Keeps the pods of ReplicaSets: https://kubernetes.io/docs/concepts/workloads/controllers/replicaset/ */
export const replicaSets = (context: ControllerContext): Running =>
  replicas<ReplicaSet>(context, {
    controller: 'replicaset-controller',
    component: 'replicaset-controller',
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    resource: replicaSetsOf,
    selectorOf: ({ spec }) => labelSelectorFromObject(spec?.selector),
    countsTerminating: true,
  });

/** Keeps the pods of ReplicationControllers: https://kubernetes.io/docs/concepts/workloads/controllers/replicationcontroller/ */
export const replicationController = (context: ControllerContext): Running =>
  replicas<ReplicationController>(context, {
    controller: 'replicationcontroller-controller',
    component: 'replication-controller',
    apiVersion: 'v1',
    kind: 'ReplicationController',
    resource: replicationControllers,
    selectorOf: ({ spec }) => labelSelectorFromObject({ matchLabels: spec?.selector ?? {} }),
    countsTerminating: false,
  });

/** The largest number of deletions at once. */
const parallelDeletions = 16;

function replicas<Owner extends ReplicaOwner>(context: ControllerContext, kind: ReplicaKind<Owner>): Running {
  const { client } = context;
  const { queue, enqueue, informer, run } = controllerParts(context, kind.controller);
  const recorder = newEventRecorder(context, kind.component);
  const expectations = new Expectations();
  const owners = informer(kind.resource);
  const pods = informer(podsOf);
  const podsByController = pods.index(byController);
  const ownersByController = owners.index(byController);

  owners.addHandlers({
    onAdd: enqueue,
    onUpdate: (owner, old) => {
      if (owner.metadata.uid !== old.metadata.uid) expectations.forget(objectKey(owner));
      enqueue(owner);
    },
    onDelete: enqueue,
  });
  followDependents({
    owners,
    dependents: pods,
    kind: kind.kind,
    selectorOf: kind.selectorOf,
    enqueue,
    onCreated: (owner) => expectations.creationObserved(objectKey(owner)),
    onDeleted: (owner, pod) => expectations.deletionObserved(objectKey(owner), pod.metadata.uid ?? ''),
  });

  async function reconcile(key: string): Promise<void> {
    const owner = owners.get(key);
    if (owner === undefined) return expectations.forget(key);
    const pendingMs = expectations.pendingMs(key);
    const { namespace, uid = '' } = owner.metadata;
    const selector = kind.selectorOf(owner);
    const owned = podsByController.get(uid);
    const candidates = [...owned, ...podsByController.get(orphansOf(namespace))].filter(isPodActive);
    const active = await claim({
      client,
      kind,
      owner,
      selector,
      resource: podsOf,
      objectKind: 'Pod',
      candidates,
    });
    const terminating = owned.filter((pod) => isPodTerminating(pod) && selector.matches(pod.metadata.labels));

    let failure: unknown;
    if (pendingMs > 0) queue.addAfter(key, pendingMs);
    else if (owner.metadata.deletionTimestamp === undefined) failure = await manage(key, owner, active);

    const now = currentTime();
    const status = replicaStatus(
      owner,
      { active, terminating: kind.countsTerminating ? terminating : undefined },
      failure,
      now,
    );
    const updated = semanticEqual(owner.status, status)
      ? owner
      : await writeStatus(client, kind.resource, owner, status).catch(unlessGone);
    if (failure !== undefined) throw asError(failure);
    const { minReadySeconds = 0 } = updated?.spec ?? {};
    const next = nextAvailabilityIn(active, minReadySeconds, now);
    if (minReadySeconds > 0 && next !== undefined) queue.addAfter(key, next);
  }

  /** Creates or deletes pods. Returns the first error. */
  async function manage(key: string, owner: Owner, active: readonly Pod[]): Promise<unknown> {
    const { create, remove } = replicaChange(owner.spec?.replicas ?? 1, active.length);
    if (create > 0) return createPods(key, owner, create);
    if (remove > 0)
      return deletePods(key, owner, inDeletionOrder(active, relatedPods(owner), currentTime()).slice(0, remove));
    return undefined;
  }

  async function createPods(key: string, owner: Owner, count: number): Promise<unknown> {
    expectations.expect(key, count, []);
    const pod = podFromTemplate(owner.spec?.template ?? {}, owner, controllerReference(kind, owner));
    let refused = 0;
    const { succeeded, error } = await slowStart(count, async () => {
      try {
        await createPod({ client, recorder }, pod, owner);
      } catch (failure) {
        // In a namespace that is terminating every creation fails, and there is nothing to repeat.
        if (!isNamespaceTerminating(failure)) throw failure;
        refused++;
      }
    });
    expectations.creationObserved(key, count - succeeded + refused);
    return error;
  }

  async function deletePods(key: string, owner: Owner, chosen: readonly Pod[]): Promise<unknown> {
    expectations.expect(
      key,
      0,
      chosen.map(({ metadata }) => metadata.uid ?? ''),
    );
    try {
      await forEachLimited(chosen, parallelDeletions, async (pod) => {
        try {
          await deletePod({ client, recorder }, pod, owner);
        } catch (error) {
          expectations.deletionObserved(key, pod.metadata.uid ?? '');
          if (!isStatusError(error, 'NotFound')) throw error;
        }
      });
      return undefined;
    } catch (error) {
      return error;
    }
  }

  /** The pods of all owners with the same controller: the ReplicaSets of one Deployment. */
  function relatedPods(owner: Owner): Pod[] {
    const controller = controllerOf(owner);
    if (controller === undefined) return [];
    return ownersByController.get(controller.uid).flatMap(({ metadata }) => podsByController.get(metadata.uid ?? ''));
  }

  return run(reconcile);
}

/** An owner that has been deleted needs no status. */
function unlessGone(error: unknown): undefined {
  if (isStatusError(error, 'NotFound')) return undefined;
  throw error;
}
