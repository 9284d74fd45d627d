import type { Pod } from '@apichain/api/core/v1';
import type { PodDisruptionBudget, PodDisruptionBudgetStatus } from '@apichain/api/policy/v1';
import { type ResourceReference, byNamespace, objectKey } from '@apichain/client';
import {
  currentTime,
  errorMessage,
  findCondition,
  isStatusError,
  labelSelectorFromObject,
  printLabelSelector,
  semanticEqual,
} from '@apichain/meta';
import { type ControllerContext, type Running, newEventRecorder } from '../context.ts';
import { controllerParts } from '../controller-parts.ts';
import { milliseconds } from '../timestamps.ts';
import { conditionPatch, patchPodStatus } from '../workloads/disruption-target.ts';
import { PendingWrites } from '../workloads/pending-writes.ts';
import { isPodTerminal } from '../workloads/pod-status.ts';
import { pods as podsOf } from '../resources.ts';
import {
  type ExpectedScale,
  budgetStatus,
  countHealthy,
  expectation,
  failedStatus,
  followEvictions,
  needsScale,
} from './budget.ts';
import { Scales } from './scales.ts';

const budgetsOf: ResourceReference<PodDisruptionBudget> = {
  group: 'policy',
  version: 'v1',
  resource: 'poddisruptionbudgets',
};

/** A pod that is to be disrupted and is not being deleted after this time is not. */
const staleDisruptionMs = 120_000;
const unmanagedAdvice =
  'were found to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. ' +
  'To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.';

/**
 * Computes how many pods of a PodDisruptionBudget may be evicted.
 * Source: https://kubernetes.io/docs/concepts/workloads/pods/disruptions/#pod-disruption-budgets
 */
export function disruptionController(context: ControllerContext): Running {
  const { client } = context;
  const { queue, enqueue, informer, furtherQueue, run } = controllerParts(context, 'disruption-controller');
  const pods = informer(podsOf);
  const budgets = informer(budgetsOf);
  const podsIn = pods.index(byNamespace);
  const budgetsIn = budgets.index(byNamespace);
  const scales = new Scales(context, informer);
  const events = newEventRecorder(context, 'controllermanager');
  /** Keys of pods with a condition DisruptionTarget that may be stale. */
  const disrupted = furtherQueue(endStaleDisruption);
  const writes = new PendingWrites();

  budgets.addHandlers({
    onAdd: enqueue,
    onUpdate: enqueue,
    onDelete: (budget) => writes.forget(objectKey(budget)),
  });
  pods.addHandlers({
    onAdd: podChanged,
    onUpdate: (pod, old) => {
      podChanged(pod);
      budgetsFor(old).forEach(enqueue);
    },
    onDelete: (pod) => budgetsFor(pod).forEach(enqueue),
  });

  function podChanged(pod: Pod): void {
    const matching = budgetsFor(pod);
    matching.forEach(enqueue);
    const [first, second] = matching;
    if (first !== undefined && second !== undefined) {
      const { namespace = '', name = '' } = pod.metadata;
      const text = `Pod "${namespace}"/"${name}" matches multiple PodDisruptionBudgets.  Chose "${first.metadata.name}" arbitrarily.`;
      events.event(pod, 'Warning', 'MultiplePodDisruptionBudgets', text);
    }
    const wait = staleDisruptionIn(pod);
    if (wait !== undefined) disrupted.addAfter(objectKey(pod), wait);
  }

  const budgetsFor = ({ metadata }: Pod): PodDisruptionBudget[] =>
    budgetsIn.get(metadata.namespace ?? '').filter((budget) => selectorOf(budget).matches(metadata.labels));

  async function reconcile(key: string): Promise<void> {
    const budget = budgets.get(key);
    if (budget === undefined || !writes.areObserved(key)) return;
    try {
      await reconcileBudget(key, budget);
    } catch (error) {
      if (isStatusError(error, 'Conflict')) throw error;
      context.log.error('the status of a budget was not computed', { key, error: errorMessage(error) });
      await writeStatus(budget, failedStatus(budget, errorMessage(error), currentTime()));
    }
  }

  async function reconcileBudget(key: string, budget: PodDisruptionBudget): Promise<void> {
    const selector = selectorOf(budget);
    const selected = podsIn
      .get(budget.metadata.namespace ?? '')
      .filter(({ metadata }) => selector.matches(metadata.labels));
    if (selected.length === 0) events.event(budget, 'Normal', 'NoPods', 'No matching pods found');
    const { replicas, unmanaged } = await scaleOf(budget, selected);
    if (unmanaged.length > 0) {
      const text = `Pods selected by this PodDisruptionBudget (selector: ${printLabelSelector(budget.spec?.selector ?? {})}) ${unmanagedAdvice}`;
      events.event(budget, 'Warning', 'UnmanagedPods', text);
    }
    const now = currentTime();
    const { disruptedPods, notDeleted, lookAgain } = followEvictions(budget, selected, now);
    for (const pod of notDeleted) {
      const { namespace = '' } = budget.metadata;
      const text = `Pod was expected by PDB ${namespace}/${namespace} to be deleted but it wasn't`;
      events.event(pod, 'Warning', 'NotDeleted', text);
    }
    const currentHealthy = countHealthy(selected, disruptedPods);
    const counts = { currentHealthy, ...expectation(budget, selected.length, replicas) };
    await writeStatus(budget, budgetStatus(budget, counts, disruptedPods, now));
    if (lookAgain !== undefined) queue.addAfter(key, lookAgain - now + 1);
  }

  async function scaleOf(budget: PodDisruptionBudget, selected: readonly Pod[]): Promise<ExpectedScale> {
    if (!needsScale(budget)) return { replicas: 0, unmanaged: [] };
    try {
      return await scales.of(selected);
    } catch (error) {
      const text = `Failed to calculate the number of expected pods: ${errorMessage(error)}`;
      events.event(budget, 'Warning', 'CalculateExpectedPodCountFailed', text);
      throw error;
    }
  }

  async function writeStatus(budget: PodDisruptionBudget, status: PodDisruptionBudgetStatus): Promise<void> {
    if (semanticEqual(withZeros(budget.status), withZeros(status))) return;
    const { namespace = '' } = budget.metadata;
    const written = { ...budget, status };
    const stored = await client.update({ ...budgetsOf, namespace }, written, { subresource: 'status' });
    writes.wrote(budget, budgets, stored);
  }

  async function endStaleDisruption(key: string): Promise<void> {
    const pod = pods.get(key);
    const wait = pod === undefined ? undefined : staleDisruptionIn(pod);
    if (pod === undefined || wait === undefined) return;
    if (wait > 0) return disrupted.addAfter(key, wait);
    const patch = conditionPatch(pod, { type: 'DisruptionTarget', status: 'False', reason: '', message: '' });
    if (patch !== undefined) await patchPodStatus(client, pod, { conditions: [patch] });
  }

  return run(reconcile);
}

const selectorOf = ({ spec }: PodDisruptionBudget) => labelSelectorFromObject(spec?.selector);

const withZeros = (status: PodDisruptionBudgetStatus = {}): PodDisruptionBudgetStatus => ({
  disruptionsAllowed: 0,
  currentHealthy: 0,
  desiredHealthy: 0,
  expectedPods: 0,
  ...status,
});

/** After how many milliseconds the announced disruption of a pod is stale. Undefined if none is announced, it is under way, or the kubelet announced it. */
function staleDisruptionIn(pod: Pod): number | undefined {
  const condition = findCondition(pod.status?.conditions, 'DisruptionTarget');
  if (pod.metadata.deletionTimestamp !== undefined || isPodTerminal(pod) || condition?.status !== 'True')
    return undefined;
  if (condition.reason === 'TerminationByKubelet') return undefined;
  return Math.max(0, (milliseconds(condition.lastTransitionTime) ?? 0) + staleDisruptionMs - currentTime());
}
