import type { RegistryStore, RequestContext, WriteOptions } from '@apichain/apiserver';
import {
  currentTime,
  isStatusError,
  labelSelectorFromObject,
  newBadRequest,
  newForbidden,
  newTooManyRequests,
  newUnknownError,
  StatusError,
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
  record,
  records,
  text,
  textMap,
} from '../fields.ts';
import { passThrough } from './binding.ts';

const violated = "Cannot evict pod as it would violate the pod's disruption budget.";
const maxDisruptedPods = 2000;
const attempts = 20;

/** 429 with the reason of the budget; `retry` in seconds. */
function tooManyDisruptions(cause: string, retryAfterSeconds: number): StatusError {
  const { status } = newTooManyRequests(violated, retryAfterSeconds);
  const causes = [{ reason: 'DisruptionBudget', message: cause }];
  const details = { ...(retryAfterSeconds === 0 ? {} : { retryAfterSeconds }), causes };
  return new StatusError({ ...status, details });
}

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

/** Takes one disruption from the budget. Throws when it has none to give. */
function takeDisruption(budget: KubeObject, podName: string): KubeObject {
  const status = ensureRecord(budget, 'status');
  const name = budget.metadata.name ?? '';
  if (integer(status.observedGeneration) < integer(budget.metadata.generation)) {
    throw tooManyDisruptions(`The disruption budget ${name} is still being processed by the server.`, 10);
  }
  const allowed = integer(status.disruptionsAllowed);
  const resource = { group: 'policy', resource: 'poddisruptionbudgets' };
  if (allowed < 0) throw newForbidden(resource, name, 'pdb disruptions allowed is negative');
  const disrupted = record(status.disruptedPods);
  if (Object.keys(disrupted).length > maxDisruptedPods) {
    throw newForbidden(
      resource,
      name,
      'DisruptedPods map too big - too many evictions not confirmed by PDB controller',
    );
  }
  if (allowed === 0) throw tooManyDisruptions(exhausted(budget, name), 0);
  status.disruptionsAllowed = allowed - 1;
  status.disruptedPods = { ...disrupted, [podName]: formatTime(new Date(currentTime())) };
  return budget;
}

function exhausted(budget: KubeObject, name: string): string {
  const failed = condition(at(budget.status, 'conditions'), 'DisruptionAllowed');
  if (failed?.reason === 'SyncFailed') {
    return `The disruption budget ${name} does not allow evicting pods currently because it failed sync: ${text(failed.message)}`;
  }
  const status = record(budget.status);
  const needed = integer(status.desiredHealthy);
  const healthy = integer(status.currentHealthy);
  return needed > 0 || healthy > 0 || failed === undefined
    ? `The disruption budget ${name} needs ${needed} healthy pods and has ${healthy} currently`
    : `The disruption budget ${name} does not allow evicting pods currently`;
}

export interface EvictionStores {
  readonly pods: RegistryStore;
  readonly budgets: () => RegistryStore;
}

/** Marks why the pod goes, for whoever watches it. */
async function markDisrupted(
  stores: EvictionStores,
  ctx: RequestContext,
  name: string,
  dryRun: boolean,
): Promise<void> {
  await stores.pods.update(
    ctx,
    name,
    (pod) => {
      if (pod === undefined) throw newBadRequest('the pod is gone');
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
    { dryRun, strategy: passThrough(stores.pods) },
  );
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

/** Asks the budgets. True when the pod may go only as it was read: unready, or not started. */
async function consultBudgets(
  stores: EvictionStores,
  ctx: RequestContext,
  pod: KubeObject,
  dryRun: boolean,
): Promise<boolean> {
  const budgets = await matchingBudgets(stores, ctx, pod);
  if (budgets.length > 1) {
    throw newUnknownError(
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    );
  }
  const [budget] = budgets;
  if (budget === undefined) return false;
  if (unhealthyMayGo(budget, pod)) return true;
  const store = stores.budgets();
  await store.update(
    ctx,
    budget.metadata.name ?? '',
    (current) => takeDisruption(current ?? budget, pod.metadata.name ?? ''),
    { dryRun, strategy: passThrough(store) },
  );
  return false;
}

/**
 * POST pods/{name}/eviction: deletes the pod if its disruption budget allows.
 * https://kubernetes.io/docs/concepts/scheduling-eviction/api-eviction/
 */
export async function evictPod(
  stores: EvictionStores,
  remove: (ctx: RequestContext, name: string, options: Record<string, unknown>) => Promise<unknown>,
  ctx: RequestContext,
  name: string,
  eviction: KubeObject,
  options: WriteOptions,
): Promise<Status> {
  if ((eviction.metadata.name ?? '') !== name)
    throw newBadRequest('name in URL does not match name in Eviction object');
  const deleteOptions = { ...record(eviction.deleteOptions) };
  const dryRun = options.dryRun || records(deleteOptions.dryRun).length > 0;
  if (dryRun) deleteOptions.dryRun = ['All'];
  for (let attempt = 1; ; attempt++) {
    const pod = (await stores.pods.get(ctx, name, { resourceVersion: '' })).parse();
    const free = goesWithoutBudget(pod);
    const asRead = free ? at(pod.status, 'phase') === 'Pending' : await consultBudgets(stores, ctx, pod, dryRun);
    if (!free && !dryRun) await markDisrupted(stores, ctx, name, dryRun);
    // What the client has seen counts before what was read here.
    const given = record(deleteOptions.preconditions);
    const enforced = asRead && free && text(given.resourceVersion) === '';
    const preconditions = enforced ? { ...given, resourceVersion: pod.metadata.resourceVersion } : given;
    try {
      await remove(ctx, name, { ...deleteOptions, preconditions });
      return { ...successStatus(), code: 201 };
    } catch (error) {
      const otherPod = text(given.uid) !== '' && text(given.uid) !== pod.metadata.uid;
      if (!isStatusError(error, 'Conflict') || !enforced || otherPod || attempt === attempts) throw error;
    }
  }
}
