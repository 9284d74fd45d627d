import type { PodDisruptionBudget, PodDisruptionBudgetStatus } from '@apichain/api/policy/v1';
import { FieldManager } from '@apichain/managed-fields';
import {
  deepClone,
  currentTimestamp,
  newForbidden,
  newTooManyRequests,
  StatusError,
  isSet,
  findCondition,
} from '@apichain/meta';
import { requireType } from '@apichain/kinds';

const violated = "Cannot evict pod as it would violate the pod's disruption budget.";
const maxDisruptedPods = 2000;

/** 429 with the reason of the budget; `retry` in seconds. */
export function tooManyDisruptions(cause: string, retryAfterSeconds: number): StatusError {
  const { status } = newTooManyRequests(violated, retryAfterSeconds);
  const causes = [{ reason: 'DisruptionBudget', message: cause }];
  const details = { ...(retryAfterSeconds === 0 ? {} : { retryAfterSeconds }), causes };
  return new StatusError({ ...status, details });
}

const budgetKind = { group: 'policy', version: 'v1', kind: 'PodDisruptionBudget' };
const budgetFields = new FieldManager({
  type: requireType(budgetKind),
  groupVersionKind: budgetKind,
  subresource: 'status',
});

/** The status condition of a budget without remaining disruptions. After the helper for disruption budgets in pkg/apis/policy. */
function noteInsufficientPods(status: PodDisruptionBudgetStatus): void {
  const type = 'DisruptionAllowed';
  const others = status.conditions ?? [];
  const known = others.find((each) => each.type === type);
  const condition = {
    type,
    status: 'False',
    ...(isSet(status.observedGeneration) ? { observedGeneration: status.observedGeneration } : {}),
    lastTransitionTime: known?.status === 'False' ? known.lastTransitionTime : currentTimestamp(),
    reason: 'InsufficientPods',
    message: '',
  };
  status.conditions =
    known === undefined ? [...others, condition] : others.map((each) => (each === known ? condition : each));
}

/** The budget with one disruption less; the server is the field manager. Rejects when no disruption is allowed. */
export async function takeDisruption(current: PodDisruptionBudget, podName: string): Promise<PodDisruptionBudget> {
  const budget = deepClone(current);
  const status = (budget.status ??= {});
  const name = budget.metadata.name ?? '';
  if ((status.observedGeneration ?? 0) < (budget.metadata.generation ?? 0)) {
    throw tooManyDisruptions(`The disruption budget ${name} is still being processed by the server.`, 10);
  }
  const allowed = status.disruptionsAllowed ?? 0;
  const resource = { group: 'policy', resource: 'poddisruptionbudgets' };
  if (allowed < 0) throw newForbidden(resource, name, 'pdb disruptions allowed is negative');
  const disrupted = status.disruptedPods ?? {};
  if (Object.keys(disrupted).length > maxDisruptedPods) {
    throw newForbidden(
      resource,
      name,
      'DisruptedPods map too big - too many evictions not confirmed by PDB controller',
    );
  }
  if (allowed === 0) throw tooManyDisruptions(exhausted(budget, name), 0);
  status.disruptionsAllowed = allowed - 1;
  status.disruptedPods = { ...disrupted, [podName]: currentTimestamp() };
  if (allowed === 1) noteInsufficientPods(status);
  return budgetFields.update(current, budget, 'kube-apiserver');
}

/** Why a budget allows no disruption: from its condition, or from its numbers. */
export function exhausted(budget: PodDisruptionBudget, name: string): string {
  const refused = findCondition(budget.status?.conditions, 'DisruptionAllowed');
  const [reason, message] = refused?.status === 'False' ? [refused.reason ?? '', refused.message ?? ''] : ['', ''];
  const doesNotAllow = `The disruption budget ${name} does not allow evicting pods currently`;
  if (reason === 'SyncFailed') return `${doesNotAllow} because it failed sync: ${message}`;
  const status = budget.status ?? {};
  const needed = status.desiredHealthy ?? 0;
  const healthy = status.currentHealthy ?? 0;
  if (healthy <= needed) {
    return `The disruption budget ${name} needs ${needed} healthy pods and has ${healthy} currently`;
  }
  return message === '' ? doesNotAllow : `${doesNotAllow} (${reason}): ${message}`;
}
