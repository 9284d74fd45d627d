import type { Pod } from '@apichain/api/core/v1';
import { findCondition } from '@apichain/meta';
import type { ControllerSettings } from '../settings.ts';
import { milliseconds } from '../timestamps.ts';

/** A measurement of a pod. Values are in thousandths. */
export interface PodMetric {
  readonly value: number;
  /** When the measurement ended, in milliseconds since 1970, and how long it took. */
  readonly timestamp: number;
  readonly windowMs: number;
}

/** Measurements by the name of the pod. */
export type PodMetrics = ReadonlyMap<string, PodMetric>;

/** The names of pods by what their measurements are worth. */
interface GroupedPods {
  readonly ready: number;
  /** Pods that start: their measurements do not show what they will use. */
  readonly unready: readonly string[];
  readonly missing: readonly string[];
  /** Pods that end. */
  readonly ignored: readonly string[];
}

/** When something is calculated, and by which settings. */
export interface Moment {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly settings: ControllerSettings;
}

/** Groups pods by what their measurements of a resource are worth. `resource` is empty for other metrics. */
export function groupPods(
  pods: readonly Pod[],
  metrics: PodMetrics,
  resource: string,
  { now, settings }: Moment,
): GroupedPods {
  const unready: string[] = [];
  const missing: string[] = [];
  const ignored: string[] = [];
  let ready = 0;
  for (const pod of pods) {
    const { name = '', deletionTimestamp } = pod.metadata;
    const metric = metrics.get(name);
    if (deletionTimestamp !== undefined || pod.status?.phase === 'Failed') ignored.push(name);
    else if (pod.status?.phase === 'Pending') unready.push(name);
    else if (metric === undefined) missing.push(name);
    else if (resource === 'cpu' && isStarting(pod, metric, { now, settings })) unready.push(name);
    else ready++;
  }
  return { ready, unready, missing, ignored };
}

/** Whether a pod uses processor time only to start: it is not ready for the first time, or was not yet when this was measured. */
function isStarting({ status }: Pod, metric: PodMetric, { now, settings }: Moment): boolean {
  const condition = findCondition(status?.conditions, 'Ready');
  const start = milliseconds(status?.startTime);
  if (condition === undefined || start === undefined) return true;
  const changed = milliseconds(condition.lastTransitionTime) ?? 0;
  const isUnready = condition.status === 'False';
  if (start + settings['horizontal-pod-autoscaler-cpu-initialization-period'] > now)
    return isUnready || metric.timestamp < changed + metric.windowMs;
  return isUnready && start + settings['horizontal-pod-autoscaler-initial-readiness-delay'] > changed;
}
