import type { HPAScalingRules, HorizontalPodAutoscalerSpec } from '@apichain/api/autoscaling/v2';

/** As in kube-controller-manager. */
const scaleUpFactor = 2;
const scaleUpMinimum = 4;

interface Recommendation {
  readonly replicas: number;
  readonly at: number;
}

interface Change {
  readonly replicas: number;
  readonly at: number;
}

/** What an autoscaler has recommended and done lately. Bounded: what is older than any window is replaced. */
export interface ScalingHistory {
  readonly recommendations: Recommendation[];
  readonly ups: Change[];
  readonly downs: Change[];
}

/** The history of an autoscaler that finds so many replicas. */
export const newHistory = (replicas: number, at: number): ScalingHistory => ({
  recommendations: [{ replicas, at }],
  ups: [],
  downs: [],
});

/** The replicas after all limits, and the reasons and messages of the conditions AbleToScale and ScalingLimited. */
interface Normalized {
  readonly replicas: number;
  readonly able: Because;
  readonly limited: Because & { readonly status: 'True' | 'False' };
}

interface Because {
  readonly reason: string;
  readonly message: string;
}

const ready: Because = { reason: 'ReadyForNewScale', message: 'recommended size matches current size' };
const inRange: Because = { reason: 'DesiredWithinRange', message: 'the desired count is within the acceptable range' };
const limits = {
  scaleUp: {
    reason: 'ScaleUpLimit',
    message: 'the desired replica count is increasing faster than the maximum scale rate',
  },
  scaleDown: {
    reason: 'ScaleDownLimit',
    message: 'the desired replica count is decreasing faster than the maximum scale rate',
  },
  most: { reason: 'TooManyReplicas', message: 'the desired replica count is more than the maximum replica count' },
  least: { reason: 'TooFewReplicas', message: 'the desired replica count is less than the minimum replica count' },
} as const satisfies Record<string, Because>;
const stabilizedUp: Because = {
  reason: 'ScaleUpStabilized',
  message: 'recent recommendations were lower than current one, applying the lowest recent recommendation',
};
const stabilizedDown: Because = {
  reason: 'ScaleDownStabilized',
  message: 'recent recommendations were higher than current one, applying the highest recent recommendation',
};

/** The bounds of an autoscaler. */
export interface Bounds {
  readonly current: number;
  readonly minReplicas: number;
  readonly maxReplicas: number;
}

/**
 * Limits what the metrics ask for by stabilization windows, scaling policies and bounds. Notes the recommendation in the history.
 * `downscaleStabilizationMs` is the window of an autoscaler that says none.
 */
export function normalize(
  { behavior }: HorizontalPodAutoscalerSpec,
  history: ScalingHistory,
  bounds: Bounds,
  desired: number,
  now: number,
  downscaleStabilizationMs: number,
): Normalized {
  const withBehavior = behavior !== undefined;
  const { scaleUp = {}, scaleDown = {} } = behavior ?? {};
  const upWindow = withBehavior ? (scaleUp.stabilizationWindowSeconds ?? 0) * 1_000 : 0;
  const downWindow =
    withBehavior && scaleDown.stabilizationWindowSeconds !== undefined
      ? scaleDown.stabilizationWindowSeconds * 1_000
      : downscaleStabilizationMs;
  const stabilized = withBehavior
    ? stabilize(history, bounds.current, desired, now, upWindow, downWindow)
    : Math.max(desired, ...recent(history, now, downWindow, true));
  note(history.recommendations, { replicas: desired, at: now }, now - Math.max(upWindow, downWindow));
  const direction = withBehavior && desired >= bounds.current ? stabilizedUp : stabilizedDown;
  const { replicas, because } = withBehavior
    ? limitByPolicies(history, bounds, stabilized, now, scaleUp, scaleDown)
    : limitByRules(bounds, stabilized);
  return {
    replicas,
    able: stabilized === desired ? ready : direction,
    limited: { ...because, status: replicas === stabilized ? 'False' : 'True' },
  };
}

function stabilize(
  history: ScalingHistory,
  current: number,
  desired: number,
  now: number,
  upWindow: number,
  downWindow: number,
): number {
  const lowest = Math.min(desired, ...recent(history, now, upWindow, false));
  const highest = Math.max(desired, ...recent(history, now, downWindow, false));
  return Math.min(Math.max(current, lowest), highest);
}

/** The recommendations within a window. `inclusive` says whether one at its very start counts. */
const recent = ({ recommendations }: ScalingHistory, now: number, window: number, inclusive: boolean): number[] =>
  recommendations
    .filter(({ at }) => at > now - window || (inclusive && at === now - window))
    .map(({ replicas }) => replicas);

/** Adds an entry, in place of those from before `cutoff`. */
function note<Entry extends { readonly at: number }>(entries: Entry[], entry: Entry, cutoff: number): void {
  const kept = entries.filter(({ at }) => at >= cutoff);
  entries.splice(0, entries.length, ...kept, entry);
}

interface Limited {
  readonly replicas: number;
  readonly because: Because;
}

function limitByRules({ current, minReplicas, maxReplicas }: Bounds, desired: number): Limited {
  const scaleUpLimit = Math.max(scaleUpFactor * current, scaleUpMinimum);
  const most = Math.min(maxReplicas, scaleUpLimit);
  if (desired < minReplicas) return { replicas: minReplicas, because: limits.least };
  if (desired > most) return { replicas: most, because: maxReplicas > scaleUpLimit ? limits.scaleUp : limits.most };
  return { replicas: desired, because: inRange };
}

function limitByPolicies(
  history: ScalingHistory,
  { current, minReplicas, maxReplicas }: Bounds,
  desired: number,
  now: number,
  scaleUp: HPAScalingRules,
  scaleDown: HPAScalingRules,
): Limited {
  if (desired > current) {
    const limit = Math.max(current, policyLimit(history, current, now, scaleUp, 1));
    const most = Math.min(maxReplicas, limit);
    if (desired > most) return { replicas: most, because: maxReplicas > limit ? limits.scaleUp : limits.most };
  } else if (desired < current) {
    const limit = Math.min(current, policyLimit(history, current, now, scaleDown, -1));
    const least = Math.max(minReplicas, limit);
    if (desired < least) return { replicas: least, because: minReplicas < limit ? limits.scaleDown : limits.least };
  }
  return { replicas: desired, because: inRange };
}

/** How far the policies let the replicas go, up (1) or down (-1). */
function policyLimit(
  { ups, downs }: ScalingHistory,
  current: number,
  now: number,
  { selectPolicy = 'Max', policies = [] }: HPAScalingRules,
  direction: 1 | -1,
): number {
  if (selectPolicy === 'Disabled') return current;
  const proposals = policies.map(({ type, value = 0, periodSeconds = 0 }) => {
    const within = (changes: readonly Change[]) =>
      changes.filter(({ at }) => at > now - periodSeconds * 1_000).reduce((total, { replicas }) => total + replicas, 0);
    const start = current - within(ups) + within(downs);
    if (type === 'Pods') return start + direction * value;
    // Rounded so that a share of few replicas is a change too.
    return direction === 1 ? Math.ceil(start * (1 + value / 100)) : Math.trunc(start * (1 - value / 100));
  });
  // The most change is the highest limit for growth, and the lowest for shrinking.
  return (selectPolicy === 'Min') === (direction === 1) ? Math.min(...proposals) : Math.max(...proposals);
}

/** Notes a change of the replicas, if there are policies that ask for it. */
export function noteChange(
  { behavior }: HorizontalPodAutoscalerSpec,
  history: ScalingHistory,
  before: number,
  after: number,
  now: number,
): void {
  if (behavior === undefined) return;
  const [changes, rules] = after > before ? [history.ups, behavior.scaleUp] : [history.downs, behavior.scaleDown];
  const longest = Math.max(0, ...(rules?.policies ?? []).map(({ periodSeconds = 0 }) => periodSeconds));
  note(changes, { replicas: Math.abs(after - before), at: now }, now - longest * 1_000);
}
