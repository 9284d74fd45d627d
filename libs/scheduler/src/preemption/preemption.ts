import { random } from '@apichain/meta';
import type { Cluster } from '../cluster/cluster.ts';
import type { PodInfo } from '../cluster/pod-info.ts';
import type { Filters, NominatedPods } from '../framework/filters.ts';
import { type Diagnosis, fitMessage } from '../framework/fit-error.ts';
import { type PluginRejection, type Rejection, unresolvable } from '../framework/status.ts';
import { type Candidate, startTimeOf, victimsOn } from './victims.ts';

/** What came of the search for pods that make room: the best candidate, or why there is none. */
type PreemptionOutcome =
  | { readonly candidate: Candidate }
  /** `nomination` is '' when an earlier nomination has become void. */
  | { readonly message: string; readonly nomination?: '' };

const minCandidates = 100;
const minCandidatesShare = 0.1;

/** Looks for pods of lower priority without which the pod fits on a node. https://kubernetes.io/docs/concepts/scheduling-eviction/pod-priority-preemption/ */
export function findPreemption(
  pod: PodInfo,
  diagnosis: Diagnosis,
  filters: Filters | undefined,
  cluster: Cluster,
  nominated: NominatedPods,
): PreemptionOutcome {
  const reason = ineligible(pod, diagnosis, cluster);
  if (reason !== undefined) return { message: reason };
  const { nodes } = cluster;
  const helpful = nodes.filter(({ name }) => diagnosis.rejections.get(name)?.code === 'Unschedulable');
  const budgets = [...cluster.objects.podDisruptionBudgets.list()];
  const rejections = new Map<string, PluginRejection>();
  const candidates: Candidate[] = [];
  const offset = Math.floor(random() * helpful.length);
  const enough = Math.min(helpful.length, Math.max(minCandidates, Math.trunc(helpful.length * minCandidatesShare)));
  let isGood = false;
  for (let index = 0; index < helpful.length && !(isGood && candidates.length >= enough); index++) {
    const node = helpful[(offset + index) % helpful.length];
    if (node === undefined || filters === undefined) continue;
    const result = victimsOn(node, pod, filters, nominated, budgets);
    if ('code' in result) rejections.set(node.name, { ...result, plugin: 'DefaultPreemption' });
    else {
      candidates.push(result);
      isGood ||= result.violations === 0;
    }
  }
  const best = bestCandidate(candidates);
  if (best !== undefined) return { candidate: best };
  return {
    message: fitMessage({ allNodes: nodes.length, rejections, others: notHelpful, preFilterMessage: '' }),
    nomination: '',
  };
}

const notHelpful: Rejection = unresolvable('Preemption is not helpful for scheduling');

/** Why the pod may not preempt others now. */
function ineligible(pod: PodInfo, diagnosis: Diagnosis, cluster: Cluster): string | undefined {
  if (pod.pod.spec?.preemptionPolicy === 'Never') return 'not eligible due to preemptionPolicy=Never.';
  const { nominatedNodeName } = pod;
  if (nominatedNodeName === '') return undefined;
  const rejection = diagnosis.rejections.get(nominatedNodeName) ?? diagnosis.others;
  if (rejection.code === 'UnschedulableAndUnresolvable') return undefined;
  const leaving = [...(cluster.node(nominatedNodeName)?.pods.values() ?? [])].some(
    (other) => other.priority < pod.priority && isPreempted(other),
  );
  return leaving ? 'not eligible due to a terminating pod on the nominated node.' : undefined;
}

function isPreempted({ pod, isTerminating }: PodInfo): boolean {
  const condition = pod.status?.conditions?.find(({ type }) => type === 'DisruptionTarget');
  return isTerminating && condition?.status === 'True' && condition.reason === 'PreemptionByScheduler';
}

/** The lower, the better; the next one decides among equals. */
const criteria: readonly ((candidate: Candidate) => number)[] = [
  ({ violations }) => violations,
  ({ victims }) => victims[0]?.priority ?? -Infinity,
  // Priorities are shifted to be positive, so that fewer pods of a negative priority are better than many.
  ({ victims }) => victims.reduce((sum, { priority }) => sum + priority + 2 ** 31, 0),
  ({ victims }) => victims.length,
  ({ victims }) => -earliestStart(victims),
];

/** The start of the oldest among the pods of the highest priority. */
function earliestStart(victims: readonly PodInfo[]): number {
  const highest = Math.max(...victims.map(({ priority }) => priority));
  return Math.min(...victims.filter(({ priority }) => priority === highest).map(({ pod }) => startTimeOf(pod)));
}

/** The candidate with the least harm. */
export function bestCandidate(candidates: readonly Candidate[]): Candidate | undefined {
  let best = candidates;
  for (const criterion of criteria) {
    if (best.length < 2) break;
    const least = Math.min(...best.map(criterion));
    best = best.filter((candidate) => criterion(candidate) === least);
  }
  return best[0];
}
