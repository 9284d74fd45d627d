import { listEverything, readStored } from '@apichain/storage';
import type { WriteOptions } from '@apichain/apiserver';
import type { RequestContext } from '@apichain/request';
import type { DeleteOptions, Preconditions } from '@apichain/api/meta/v1';
import type { Pod } from '@apichain/api/core/v1';
import type { Eviction, PodDisruptionBudget } from '@apichain/api/policy/v1';
import type { KindStore } from '../kind-store.ts';
import {
  currentTimestamp,
  deepClone,
  field,
  isStatusError,
  labelSelectorFromObject,
  newBadRequest,
  newConflict,
  newInvalid,
  newUnknownError,
  pause,
  successStatus,
  type Status,
  isSet,
  findCondition,
} from '@apichain/meta';
import { passThrough } from './binding.ts';
import { exhausted, takeDisruption, tooManyDisruptions } from './disruption-budget.ts';

const attempts = 20;

/** Pods that no budget protects: finished, not started, or being deleted. */
const goesWithoutBudget = (pod: Pod): boolean =>
  ['Succeeded', 'Failed', 'Pending'].includes(pod.status?.phase ?? '') || isSet(pod.metadata.deletionTimestamp);

function selects(budget: PodDisruptionBudget, pod: Pod): boolean {
  const selector = budget.spec?.selector;
  if (!isSet(selector)) return false;
  return labelSelectorFromObject(selector).matches(pod.metadata.labels ?? {});
}

const isReady = (pod: Pod): boolean => findCondition(pod.status?.conditions, 'Ready')?.status === 'True';

/** Whether an unready pod may be evicted: the budget's policy allows it, or there are enough healthy pods without it. */
function unhealthyMayGo(budget: PodDisruptionBudget, pod: Pod): boolean {
  if (isReady(pod)) return false;
  if (budget.spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow') return true;
  const status = budget.status ?? {};
  const desired = status.desiredHealthy ?? 0;
  return desired > 0 && (status.currentHealthy ?? 0) >= desired;
}

interface EvictionStores {
  readonly pods: KindStore<'pods'>;
  readonly budgets: () => KindStore<'poddisruptionbudgets.policy'>;
}

/** Throws Conflict (409) when the pod does not meet the preconditions. */
function checkPreconditions(pod: Pod, preconditions: Preconditions): void {
  const { name = '', uid = '', resourceVersion = '' } = pod.metadata;
  const conflict = (cause: string) => newConflict({ group: '', resource: 'Pod' }, name, cause);
  const wantedUid = preconditions.uid ?? '';
  if (wantedUid !== '' && wantedUid !== uid) {
    throw conflict(
      `the UID in the precondition (${wantedUid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
    );
  }
  const wantedVersion = preconditions.resourceVersion ?? '';
  if (wantedVersion !== '' && wantedVersion !== resourceVersion) {
    throw conflict(
      `the ResourceVersion in the precondition (${wantedVersion}) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`,
    );
  }
}

/** Sets the condition that explains the disruption, for watchers of the pod. Returns the new resourceVersion of the pod. */
async function markDisrupted(
  stores: EvictionStores,
  ctx: RequestContext,
  name: string,
  preconditions: Preconditions,
): Promise<string> {
  const { result } = await stores.pods.update(
    ctx,
    name,
    (current) => {
      if (current === undefined) throw newBadRequest('the pod is gone');
      checkPreconditions(current, preconditions);
      const pod = deepClone(current);
      const status = (pod.status ??= {});
      const others = (status.conditions ?? []).filter((c) => c.type !== 'DisruptionTarget');
      const lastTransitionTime = currentTimestamp();
      status.conditions = [
        ...others,
        {
          type: 'DisruptionTarget',
          status: 'True',
          lastProbeTime: null,
          lastTransitionTime,
          reason: 'EvictionByEvictionAPI',
          message: 'Eviction API: evicting',
        },
      ];
      return pod;
    },
    { dryRun: false, strategy: passThrough(stores.pods) },
  );
  return 'parse' in result ? String(result.revision) : (result.metadata?.resourceVersion ?? '');
}

async function matchingBudgets(stores: EvictionStores, ctx: RequestContext, pod: Pod): Promise<PodDisruptionBudget[]> {
  const { storage, layout } = stores.budgets();
  const listed = await storage.list(`${layout.prefix}/${ctx.requestInfo.namespace}/`, listEverything);
  const matching: PodDisruptionBudget[] = [];
  for (const item of listed.items) {
    await pause();
    const budget = await readStored(item);
    if (selects(budget, pod)) matching.push(budget);
  }
  return matching;
}

/** Consults the budgets. Returns the budget that allows the eviction only while the pod is unready, that is, only for the version that was read. */
async function consultBudgets(
  stores: EvictionStores,
  ctx: RequestContext,
  pod: Pod,
  dryRun: boolean,
): Promise<PodDisruptionBudget | undefined> {
  const budgets = await matchingBudgets(stores, ctx, pod);
  if (budgets.length > 1) {
    throw newUnknownError(
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    );
  }
  const [budget] = budgets;
  if (budget === undefined || unhealthyMayGo(budget, pod)) return budget;
  const store = stores.budgets();
  await store.update(
    ctx,
    budget.metadata.name ?? '',
    (current) => takeDisruption(current ?? budget, pod.metadata.name ?? ''),
    { dryRun, strategy: passThrough(store) },
  );
  return undefined;
}

const clusterBreaking = 'ignoreStoreReadErrorWithClusterBreakingPotential';

/** The delete options of an eviction, with the dry run of the request. Throws when they contradict each other or are not allowed for evictions. */
function deleteOptionsOf(eviction: Eviction, name: string, dryRun: boolean): DeleteOptions {
  const options = { ...(eviction.deleteOptions ?? {}) };
  if (options[clusterBreaking] === true) {
    const path = `deleteOptions.${clusterBreaking}`;
    const detail = 'can not be set for pod eviction, try after removing the option';
    throw newInvalid({ group: 'policy', kind: 'Eviction' }, name, [field.invalid(path, true, detail)]);
  }
  const given = options.dryRun ?? [];
  if (dryRun && given.length > 0 && given.join() !== 'All') {
    throw newUnknownError(`Non-matching dry-run options in request and content: [All] and [${given.join(' ')}]`);
  }
  return dryRun ? { ...options, dryRun: ['All'] } : options;
}

interface Removal {
  readonly stores: EvictionStores;
  readonly remove: RemovePod;
  readonly options: DeleteOptions;
  readonly dryRun: boolean;
}

/** Sets the condition on the pod and deletes it; with `asRead` only if its version has not changed since it was read. */
async function removePod(removal: Removal, ctx: RequestContext, pod: Pod, asRead: boolean): Promise<void> {
  const { name = '', resourceVersion = '' } = pod.metadata;
  const given = removal.options.preconditions ?? {};
  const preconditions: Preconditions = asRead ? { ...given, resourceVersion } : { ...given };
  if (!removal.dryRun) {
    const marked = await markDisrupted(removal.stores, ctx, name, preconditions);
    if ((preconditions.resourceVersion ?? '') !== '') preconditions.resourceVersion = marked;
  }
  await removal.remove(ctx, name, { ...removal.options, preconditions });
}

/** Evicts a pod that a budget may protect, if the budget allows it. */
async function removeGuarded(removal: Removal, ctx: RequestContext, pod: Pod): Promise<void> {
  const lenient = await consultBudgets(removal.stores, ctx, pod, removal.dryRun);
  try {
    await removePod(removal, ctx, pod, lenient !== undefined);
  } catch (error) {
    const given = removal.options.preconditions?.resourceVersion ?? '';
    if (lenient === undefined || given !== '' || !isStatusError(error, 'Conflict')) throw error;
    // The pod may have become ready in the meantime, so the client should retry.
    throw tooManyDisruptions(exhausted(lenient, lenient.metadata.name ?? ''), 0);
  }
}

/** Deletes a pod with the steps of a DELETE request. */
type RemovePod = (ctx: RequestContext, name: string, options: DeleteOptions) => Promise<unknown>;

/**
 * POST pods/{name}/eviction: deletes the pod if its disruption budget allows.
 * https://kubernetes.io/docs/concepts/scheduling-eviction/api-eviction/
 */
export async function evictPod(
  stores: EvictionStores,
  remove: RemovePod,
  ctx: RequestContext,
  name: string,
  eviction: Eviction,
  options: WriteOptions,
): Promise<Status> {
  if ((eviction.metadata.name ?? '') !== name)
    throw newBadRequest('name in URL does not match name in Eviction object');
  const deleteOptions = deleteOptionsOf(eviction, name, options.dryRun);
  await options.validateCreate?.(eviction);
  const removal = { stores, remove, options: deleteOptions, dryRun: (deleteOptions.dryRun ?? []).length > 0 };
  const given = deleteOptions.preconditions ?? {};
  const versioned = (given.resourceVersion ?? '') !== '';
  for (let attempt = 1; ; attempt++) {
    const pod = await readStored(await stores.pods.get(ctx, name, { resourceVersion: '' }));
    const free = goesWithoutBudget(pod);
    try {
      // A pending pod is deleted only at the version that was read, because it may have started since.
      if (free) await removePod(removal, ctx, pod, !versioned && pod.status?.phase === 'Pending');
      else await removeGuarded(removal, ctx, pod);
      return { ...successStatus(), code: 201 };
    } catch (error) {
      const otherPod = (given.uid ?? '') !== '' && (given.uid ?? '') !== pod.metadata.uid;
      const mayRetry = free && !versioned && !otherPod && attempt < attempts;
      if (!mayRetry || !isStatusError(error, 'Conflict')) throw error;
    }
  }
}
