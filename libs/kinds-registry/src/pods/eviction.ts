import type { RegistryStore, WriteOptions } from '@apichain/apiserver';
import type { RequestContext } from '@apichain/request';
import {
  currentTime,
  field,
  isStatusError,
  labelSelectorFromObject,
  newBadRequest,
  newConflict,
  newInvalid,
  newUnknownError,
  successStatus,
  type KubeObject,
  type Status,
} from '@apichain/meta';
import {
  at,
  condition,
  ensureRecord,
  formatTime,
  integer,
  isRecord,
  isSet,
  type Plain,
  record,
  records,
  text,
  textMap,
  texts,
} from '@apichain/kinds';
import { passThrough } from './binding.ts';
import { exhausted, takeDisruption, tooManyDisruptions } from './disruption-budget.ts';

const attempts = 20;

/** Pods that no budget protects: finished, not started, or on their way out. */
const goesWithoutBudget = (pod: KubeObject): boolean =>
  ['Succeeded', 'Failed', 'Pending'].includes(text(at(pod.status, 'phase'))) || isSet(pod.metadata.deletionTimestamp);

function selects(budget: KubeObject, pod: KubeObject): boolean {
  const selector = at(budget.spec, 'selector');
  if (!isRecord(selector)) return false;
  return labelSelectorFromObject(selector).matches(textMap(pod.metadata.labels));
}

const isReady = (pod: KubeObject): boolean => condition(at(pod.status, 'conditions'), 'Ready')?.status === 'True';

/** A pod that is not ready may go when its budget says so, or when the healthy ones suffice without it. */
function unhealthyMayGo(budget: KubeObject, pod: KubeObject): boolean {
  if (isReady(pod)) return false;
  if (at(budget.spec, 'unhealthyPodEvictionPolicy') === 'AlwaysAllow') return true;
  const status = record(budget.status);
  const desired = integer(status.desiredHealthy);
  return desired > 0 && integer(status.currentHealthy) >= desired;
}

export interface EvictionStores {
  readonly pods: RegistryStore;
  readonly budgets: () => RegistryStore;
}

/** Which pod is meant, by uid or resourceVersion. */
type Preconditions = Readonly<Record<string, unknown>>;

/** Throws 409 when the pod is not the one that is meant. */
function checkPreconditions(pod: KubeObject, preconditions: Preconditions): void {
  const { name = '', uid = '', resourceVersion = '' } = pod.metadata;
  const conflict = (cause: string) => newConflict({ group: '', resource: 'Pod' }, name, cause);
  const wantedUid = text(preconditions.uid);
  if (wantedUid !== '' && wantedUid !== uid) {
    throw conflict(
      `the UID in the precondition (${wantedUid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
    );
  }
  const wantedVersion = text(preconditions.resourceVersion);
  if (wantedVersion !== '' && wantedVersion !== resourceVersion) {
    throw conflict(
      `the ResourceVersion in the precondition (${wantedVersion}) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`,
    );
  }
}

/** Marks why the pod goes, for whoever watches it. The answer is the pod's version after that. */
async function markDisrupted(
  stores: EvictionStores,
  ctx: RequestContext,
  name: string,
  preconditions: Preconditions,
): Promise<string> {
  const { result } = await stores.pods.update(
    ctx,
    name,
    (pod) => {
      if (pod === undefined) throw newBadRequest('the pod is gone');
      checkPreconditions(pod, preconditions);
      const status = ensureRecord(pod, 'status');
      const others = records(status.conditions).filter((c) => c.type !== 'DisruptionTarget');
      const lastTransitionTime = formatTime(new Date(currentTime()));
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
  return 'parse' in result ? String(result.revision) : text(at(result, 'metadata', 'resourceVersion'));
}

async function matchingBudgets(stores: EvictionStores, ctx: RequestContext, pod: KubeObject): Promise<KubeObject[]> {
  const everything = { matches: () => true, everything: true, exactFields: {} };
  const listed = await stores
    .budgets()
    .storage.list(`${stores.budgets().layout.prefix}/${ctx.requestInfo.namespace}/`, {
      resourceVersion: '',
      limit: 0,
      continue: '',
      predicate: everything,
    });
  return listed.items.map((item) => item.parse()).filter((budget) => selects(budget, pod));
}

/** Asks the budgets. The answer is the one that lets the pod go only as it was read, because it is not ready. */
async function consultBudgets(
  stores: EvictionStores,
  ctx: RequestContext,
  pod: KubeObject,
  dryRun: boolean,
): Promise<KubeObject | undefined> {
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

/** The delete options of an eviction with the dry run of the request. Throws when they are at odds or not for evictions. */
function deleteOptionsOf(eviction: KubeObject, name: string, dryRun: boolean): Plain {
  const options = { ...record(eviction.deleteOptions) };
  if (options[clusterBreaking] === true) {
    const path = `deleteOptions.${clusterBreaking}`;
    const detail = 'can not be set for pod eviction, try after removing the option';
    throw newInvalid({ group: 'policy', kind: 'Eviction' }, name, [field.invalid(path, true, detail)]);
  }
  const given = texts(options.dryRun);
  if (dryRun && given.length > 0 && given.join() !== 'All') {
    throw newUnknownError(`Non-matching dry-run options in request and content: [All] and [${given.join(' ')}]`);
  }
  return dryRun ? { ...options, dryRun: ['All'] } : options;
}

interface Removal {
  readonly stores: EvictionStores;
  readonly remove: RemovePod;
  readonly options: Plain;
  readonly dryRun: boolean;
}

/** Marks the pod and deletes it; with `asRead` only if it is still the version that was read. */
async function removePod(removal: Removal, ctx: RequestContext, pod: KubeObject, asRead: boolean): Promise<void> {
  const { name = '', resourceVersion = '' } = pod.metadata;
  const given = record(removal.options.preconditions);
  const preconditions: Plain = asRead ? { ...given, resourceVersion } : { ...given };
  if (!removal.dryRun) {
    const marked = await markDisrupted(removal.stores, ctx, name, preconditions);
    if (text(preconditions.resourceVersion) !== '') preconditions.resourceVersion = marked;
  }
  await removal.remove(ctx, name, { ...removal.options, preconditions });
}

/** A pod that a budget may protect: what the budget says counts. */
async function removeGuarded(removal: Removal, ctx: RequestContext, pod: KubeObject): Promise<void> {
  const lenient = await consultBudgets(removal.stores, ctx, pod, removal.dryRun);
  try {
    await removePod(removal, ctx, pod, lenient !== undefined);
  } catch (error) {
    const given = text(at(removal.options.preconditions, 'resourceVersion'));
    if (lenient === undefined || given !== '' || !isStatusError(error, 'Conflict')) throw error;
    // It may have become ready in between: the client is to ask again.
    throw tooManyDisruptions(exhausted(lenient, lenient.metadata.name ?? ''), 0);
  }
}

/** Deletes a pod, in the order of DELETE. */
type RemovePod = (ctx: RequestContext, name: string, options: Record<string, unknown>) => Promise<unknown>;

/**
 * POST pods/{name}/eviction: deletes the pod if its disruption budget allows.
 * https://kubernetes.io/docs/concepts/scheduling-eviction/api-eviction/
 */
export async function evictPod(
  stores: EvictionStores,
  remove: RemovePod,
  ctx: RequestContext,
  name: string,
  eviction: KubeObject,
  options: WriteOptions,
): Promise<Status> {
  if ((eviction.metadata.name ?? '') !== name)
    throw newBadRequest('name in URL does not match name in Eviction object');
  const deleteOptions = deleteOptionsOf(eviction, name, options.dryRun);
  await options.validateCreate?.(eviction);
  const removal = { stores, remove, options: deleteOptions, dryRun: texts(deleteOptions.dryRun).length > 0 };
  const given = record(deleteOptions.preconditions);
  const versioned = text(given.resourceVersion) !== '';
  for (let attempt = 1; ; attempt++) {
    const pod = (await stores.pods.get(ctx, name, { resourceVersion: '' })).parse();
    const free = goesWithoutBudget(pod);
    try {
      // A pod that has not started goes only as it was read: it may have started since.
      if (free) await removePod(removal, ctx, pod, !versioned && at(pod.status, 'phase') === 'Pending');
      else await removeGuarded(removal, ctx, pod);
      return { ...successStatus(), code: 201 };
    } catch (error) {
      const otherPod = text(given.uid) !== '' && text(given.uid) !== pod.metadata.uid;
      const mayRetry = free && !versioned && !otherPod && attempt < attempts;
      if (!mayRetry || !isStatusError(error, 'Conflict')) throw error;
    }
  }
}
