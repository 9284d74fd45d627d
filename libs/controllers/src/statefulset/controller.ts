import type { StatefulSet, StatefulSetStatus } from '@apichain/api/apps/v1';
import type { Pod } from '@apichain/api/core/v1';
import { byController, orphansOf, writeStatus } from '@apichain/client';
import { asError, currentTime, labelSelectorFromObject, semanticEqual } from '@apichain/meta';
import { type ControllerContext, type Running, newEventRecorder } from '../context.ts';
import { controllerParts } from '../controller-parts.ts';
import { claim } from '../workloads/claim.ts';
import { followDependents } from '../workloads/dependents.ts';
import { PendingWrites } from '../workloads/pending-writes.ts';
import { nextAvailabilityIn } from '../workloads/pod-status.ts';
import { claims as claimResource, controllerRevisions, pods as podResource } from '../resources.ts';
import { templateOf } from '../workloads/revision.ts';
import { slowStart } from '../workloads/slow-start.ts';
import { type StatefulSetHistory, ensureHistory, surplusRevisions } from './history.ts';
import { isMemberOf, minReadySecondsOf, statefulSetKind } from './identity.ts';
import { type Action, type StatefulSetState, planStep } from './plan.ts';
import { PodActions } from './pod-actions.ts';
import { statefulSetStatus } from './status.ts';

/** Keeps pods with identities and claims of their own: https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/ */
export function statefulSets(context: ControllerContext): Running {
  const { client } = context;
  const { queue, enqueue, informer, run } = controllerParts(context, 'statefulset-controller');
  const recorder = newEventRecorder(context, 'statefulset-controller');
  const writes = new PendingWrites();
  const owners = informer(statefulSetKind.resource);
  const pods = informer(podResource);
  const claims = informer(claimResource);
  const revisions = informer(controllerRevisions);
  const podsByController = pods.index(byController);
  const revisionsByController = revisions.index(byController);
  const selectorOf = ({ spec }: StatefulSet) => labelSelectorFromObject(spec?.selector);

  owners.addHandlers({ onAdd: enqueue, onUpdate: enqueue, onDelete: enqueue });
  followDependents({ owners, dependents: pods, kind: 'StatefulSet', selectorOf, enqueue });

  async function reconcile(key: string): Promise<void> {
    const set = owners.get(key);
    if (set === undefined) return writes.forget(key);
    // The events that show the writes enqueue the key again.
    if (!writes.areObserved(key)) return;
    const controlled = await claimRevisions(set);
    const owned = await claimPods(set);
    const now = currentTime();
    const history = await ensureHistory(client, set, controlled);
    const status = await step(set, owned, history, now);
    const { namespace = '' } = set.metadata;
    for (const { metadata } of surplusRevisions(set, controlled, history, owned))
      await client.delete({ ...controllerRevisions, namespace }, metadata.name ?? '');
    const next = nextAvailabilityIn(owned, minReadySecondsOf(set), now);
    if (status.readyReplicas !== status.availableReplicas && next !== undefined) queue.addAfter(key, next);
  }

  function claimPods(set: StatefulSet): Promise<Pod[]> {
    const { namespace = '', uid = '' } = set.metadata;
    return claim({
      client,
      kind: statefulSetKind,
      owner: set,
      selector: selectorOf(set),
      resource: podResource,
      objectKind: 'Pod',
      candidates: [...podsByController.get(uid), ...podsByController.get(orphansOf(namespace))],
      accepts: (pod) => isMemberOf(set, pod),
    });
  }

  /** Only revisions that the selector matches count. Those that it no longer matches are not released. */
  function claimRevisions(set: StatefulSet) {
    const { namespace = '', uid = '' } = set.metadata;
    const selector = selectorOf(set);
    const candidates = [...revisionsByController.get(uid), ...revisionsByController.get(orphansOf(namespace))];
    return claim({
      client,
      kind: statefulSetKind,
      owner: set,
      selector,
      resource: controllerRevisions,
      objectKind: 'ControllerRevision',
      candidates: candidates.filter(({ metadata }) => selector.matches(metadata.labels)),
    });
  }

  /** Does what is to be done now, and writes the status, also after a failure. Throws the first error. */
  async function step(
    set: StatefulSet,
    owned: readonly Pod[],
    { current, update, collisionCount }: StatefulSetHistory,
    now: number,
  ): Promise<StatefulSetStatus> {
    const state: StatefulSetState = {
      set,
      pods: owned,
      current: { name: current.metadata.name ?? '', template: templateOf(current) },
      update: { name: update.metadata.name ?? '', template: templateOf(update) },
      claim: (name) => claims.get(`${set.metadata.namespace}/${name}`),
      now,
    };
    const { error, deleted } = await execute(state);
    const status = statefulSetStatus(state, collisionCount, deleted);
    if (!semanticEqual(set.status, status)) {
      const written = await writeStatus(client, statefulSetKind.resource, set, status);
      writes.wrote(set, owners, written);
    }
    if (error !== undefined) throw asError(error);
    return status;
  }

  /** Executes the plan until the first error. Returns it, and how many pods were deleted for an update. */
  async function execute(state: StatefulSetState): Promise<{ readonly error: unknown; readonly deleted: number }> {
    const { set, claim: claimNamed } = state;
    const onWrite = (pod: Pod) => writes.wrote(set, pods, pod);
    const actions = new PodActions({ client, recorder, set, claim: claimNamed, onWrite });
    const isParallel = set.spec?.podManagementPolicy === 'Parallel';
    let deleted = 0;
    const run = async (list: readonly Action[]) => {
      for (const action of list) {
        await actions.run(action);
        if (action.type === 'delete' && action.isForUpdate === true) deleted++;
      }
    };
    for (const phase of planStep(state)) {
      const error = isParallel ? await inParallel(phase, run) : await inOrder(phase, run);
      if (error !== undefined) return { error, deleted };
    }
    return { error: undefined, deleted };
  }

  return run(reconcile);
}

async function inParallel<T>(items: readonly T[], task: (item: T) => Promise<void>): Promise<unknown> {
  const { error } = await slowStart(items.length, async (index) => {
    const item = items[index];
    if (item !== undefined) await task(item);
  });
  return error;
}

async function inOrder<T>(items: readonly T[], task: (item: T) => Promise<void>): Promise<unknown> {
  try {
    for (const item of items) await task(item);
    return undefined;
  } catch (error) {
    return error;
  }
}
