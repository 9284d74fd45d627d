import type { PodDisruptionBudget } from '@apichain/api/policy/v1';
import type { Pod } from '@apichain/api/core/v1';
import { currentTime, labelSelectorFromObject } from '@apichain/meta';
import type { NodeInfo } from '../cluster/node-info.ts';
import type { PodInfo } from '../cluster/pod-info.ts';
import { type Filters, type NominatedPods, Simulation } from '../framework/filters.ts';
import { type Rejection, unresolvable } from '../framework/status.ts';

/** The pods that would have to leave a node. */
export interface Candidate {
  readonly node: string;
  /** The most important one first. */
  readonly victims: readonly PodInfo[];
  /** How many of them leave against a disruption budget. */
  readonly violations: number;
}

/** When a pod was started, in milliseconds. A pod that has not started counts as started now. */
export function startTimeOf({ status }: Pod): number {
  return status?.startTime === undefined ? currentTime() : Date.parse(status.startTime);
}

/** By priority, then by age: the pods that are spared first come first. */
const byImportance = (a: PodInfo, b: PodInfo): number =>
  a.priority === b.priority ? startTimeOf(a.pod) - startTimeOf(b.pod) : b.priority - a.priority;

/** Which of the pods cannot leave without a violation of a budget, in the order in which they are given. */
export function splitByBudgets(
  pods: readonly PodInfo[],
  budgets: readonly PodDisruptionBudget[],
): { readonly violating: readonly PodInfo[]; readonly others: readonly PodInfo[] } {
  const allowed = budgets.map(({ status }) => status?.disruptionsAllowed ?? 0);
  const violates = (pod: PodInfo): boolean => {
    let isViolation = false;
    for (const [index, budget] of budgets.entries()) {
      if (!protects(budget, pod)) continue;
      const left = (allowed[index] ?? 0) - 1;
      allowed[index] = left;
      isViolation ||= left < 0;
    }
    return isViolation;
  };
  const groups = Object.groupBy(pods, (pod) => (violates(pod) ? 'violating' : 'others'));
  return { violating: groups.violating ?? [], others: groups.others ?? [] };
}

/** Whether the budget counts the pod. A pod whose eviction is under way was counted. */
function protects({ metadata, spec, status }: PodDisruptionBudget, pod: PodInfo): boolean {
  if (metadata.namespace !== pod.namespace || Object.keys(pod.labels ?? {}).length === 0) return false;
  const selector = labelSelectorFromObject(spec?.selector);
  return !selector.empty && selector.matches(pod.labels) && status?.disruptedPods?.[pod.name] === undefined;
}

/** The fewest and least important pods without which the pod fits on the node, or why that does not help. */
export function victimsOn(
  node: NodeInfo,
  pod: PodInfo,
  filters: Filters,
  nominated: NominatedPods,
  budgets: readonly PodDisruptionBudget[],
): Candidate | Rejection {
  const candidates = [...node.pods.values()].filter(({ priority }) => priority < pod.priority);
  if (candidates.length === 0) return unresolvable('No preemption victims found for incoming pod');
  const simulation = new Simulation(node, filters);
  for (const candidate of candidates) simulation.remove(candidate);
  const rejection = simulation.checkWithNominated(pod, nominated);
  if (rejection !== undefined) return rejection;
  const { violating, others } = splitByBudgets(candidates.toSorted(byImportance), budgets);
  const isSpared = (candidate: PodInfo): boolean => {
    simulation.add(candidate);
    if (simulation.checkWithNominated(pod, nominated) === undefined) return true;
    simulation.remove(candidate);
    return false;
  };
  const violations = violating.filter((candidate) => !isSpared(candidate));
  const victims = [...violations, ...others.filter((candidate) => !isSpared(candidate))];
  return { node: node.name, victims: victims.toSorted(byImportance), violations: violations.length };
}
