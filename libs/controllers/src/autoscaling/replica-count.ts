import type { Pod } from '@apichain/api/core/v1';
import { isPodReady } from '../workloads/pod-status.ts';
import { type Moment, type PodMetric, type PodMetrics, groupPods } from './pod-metrics.ts';

/** How much the use may differ from the target without consequences, as shares. */
export interface Tolerances {
  readonly up: number;
  readonly down: number;
}

/** The replicas that a metric asks for, and the measured use in thousandths. */
export interface Proposal {
  readonly replicas: number;
  readonly usage: number;
  /** The use as a percentage of the requests. */
  readonly utilization?: number;
}

/** What all calculations need. */
export interface Calculation extends Moment {
  readonly currentReplicas: number;
  readonly tolerances: Tolerances;
  readonly pods: readonly Pod[];
}

const mostReplicas = 2 ** 31 - 1;
const isWithin = ({ up, down }: Tolerances, ratio: number): boolean => 1 - down <= ratio && ratio <= 1 + up;

/** For a metric of pods with a target for each, in thousandths. Throws Error if there is nothing to calculate with. */
export function replicasForUsage(
  calculation: Calculation,
  metrics: PodMetrics,
  target: number,
  resource: string,
): Proposal {
  const ratioOf = (values: PodMetrics) => {
    const usage = Math.trunc(sum([...values.values()].map(({ value }) => value)) / values.size);
    return { ratio: usage / target, usage };
  };
  return propose(calculation, metrics, resource, { ratioOf, missing: () => target });
}

/** For a resource with a target in percent of what the pods request, in thousandths by name. Throws Error if there is nothing to calculate with. */
export function replicasForUtilization(
  calculation: Calculation,
  metrics: PodMetrics,
  requests: () => ReadonlyMap<string, number>,
  target: number,
  resource: string,
): Proposal {
  let known: ReadonlyMap<string, number> | undefined;
  const requestOf = (name: string) => (known ??= requests()).get(name);
  const ratioOf = (values: PodMetrics) => {
    const matched = [...values].filter(([name]) => requestOf(name) !== undefined);
    const requested = sum(matched.map(([name]) => requestOf(name) ?? 0));
    if (requested === 0) throw new Error('no metrics returned matched known pods');
    const used = sum(matched.map(([, { value }]) => value));
    const utilization = Math.trunc((used * 100) / requested);
    return { ratio: utilization / target, usage: Math.trunc(used / matched.length), utilization };
  };
  const missing = (name: string) => Math.trunc(((requestOf(name) ?? 0) * Math.max(100, target)) / 100);
  return propose(calculation, metrics, resource, { ratioOf, missing });
}

interface Ratio {
  readonly ratio: number;
  readonly usage: number;
  readonly utilization?: number;
}

/**
 * The replicas that bring the use to the target. Pods without measurement count as if they used nothing when there are to be more pods, and as if they
 * used what they may when there are to be fewer: a proposal is rather too small a change.
 */
function propose(
  calculation: Calculation,
  metrics: PodMetrics,
  resource: string,
  {
    ratioOf,
    missing: assumed,
  }: { readonly ratioOf: (values: PodMetrics) => Ratio; readonly missing: (name: string) => number },
): Proposal {
  const { currentReplicas, tolerances, pods } = calculation;
  if (pods.length === 0) throw new Error('no pods returned by selector while calculating replica count');
  const { ready, unready, missing, ignored } = groupPods(pods, metrics, resource, calculation);
  const values = new Map<string, PodMetric>(metrics);
  for (const name of [...ignored, ...unready]) values.delete(name);
  if (values.size === 0) throw new Error('did not receive metrics for targeted pods (pods might be unready)');
  const { ratio, ...measured } = ratioOf(values);
  const stay = { ...measured, replicas: currentReplicas };
  const countsUnready = unready.length > 0 && ratio > 1;
  if (!countsUnready && missing.length === 0)
    return isWithin(tolerances, ratio) ? stay : { ...measured, replicas: Math.ceil(ratio * ready) };
  const assume = (name: string, value: number) => values.set(name, { value, timestamp: 0, windowMs: 0 });
  for (const name of missing) if (ratio !== 1) assume(name, ratio < 1 ? assumed(name) : 0);
  if (countsUnready) for (const name of unready) assume(name, 0);
  const { ratio: next } = ratioOf(values);
  if (isWithin(tolerances, next) || (ratio < 1 && next > 1) || (ratio > 1 && next < 1)) return stay;
  const replicas = Math.ceil(next * values.size);
  const isReversed = (next < 1 && replicas > currentReplicas) || (next > 1 && replicas < currentReplicas);
  return isReversed ? stay : { ...measured, replicas };
}

/** For a value of something else, in thousandths, with a target for the whole. */
export function replicasForValue(
  { currentReplicas, tolerances, pods }: Calculation,
  usage: number,
  target: number,
): Proposal {
  const ratio = usage / target;
  if (currentReplicas === 0) return { usage, replicas: Math.ceil(ratio) };
  if (isWithin(tolerances, ratio)) return { usage, replicas: currentReplicas };
  if (pods.length === 0)
    throw new Error('unable to calculate ready pods: no pods returned by selector while calculating replica count');
  const ready = pods.filter((pod) => pod.status?.phase === 'Running' && isPodReady(pod)).length;
  return { usage, replicas: Math.min(mostReplicas, Math.ceil(ratio * ready)) };
}

/** For a value of something else, in thousandths, with a target for each of the pods that there are. */
export function replicasForAverage(
  statusReplicas: number,
  tolerances: Tolerances,
  usage: number,
  target: number,
): Proposal {
  const ratio = usage / (target * statusReplicas);
  const replicas = isWithin(tolerances, ratio) ? statusReplicas : Math.min(mostReplicas, Math.ceil(usage / target));
  return { replicas, usage: Math.ceil(usage / statusReplicas) };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
