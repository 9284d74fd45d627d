import type { Pod, PodCondition } from '@apichain/api/core/v1';
import { formatTime, goQuote } from '@apichain/go-text';
import { assign, findCondition } from '@apichain/meta';
import { type ContainerView, hasStarted } from './containers.ts';

type Verdict = Pick<PodCondition, 'status' | 'reason' | 'message'>;

const yes: Verdict = { status: 'True' };
const no = (reason?: string, message?: string): Verdict => ({
  status: 'False',
  ...(reason === undefined ? {} : { reason }),
  ...(message === undefined ? {} : { message }),
});

const kubeletTypes: ReadonlySet<string> = new Set([
  'PodReadyToStartContainers',
  'Initialized',
  'Ready',
  'ContainersReady',
  'PodScheduled',
]);

/** The conditions that a kubelet owns, in its order. After pkg/kubelet/status/generate.go. */
export function conditionsOf(
  pod: Pod,
  containers: readonly ContainerView[],
  phase: string,
  hasSandbox: boolean,
  now: number,
): PodCondition[] {
  const containersReady = containersReadyVerdict(containers, phase);
  const verdicts: readonly (readonly [string, Verdict])[] = [
    ['PodReadyToStartContainers', hasSandbox ? yes : no()],
    ['Initialized', initializedVerdict(containers, phase)],
    ['Ready', containersReady.status === 'True' ? gatesVerdict(pod) : containersReady],
    ['ContainersReady', containersReady],
    ['PodScheduled', yes],
  ];
  return verdicts.map(([type, verdict]) => condition(pod, type, verdict, now));
}

/** Whether a kubelet owns conditions of this type: one that it does not report is removed. */
export const isKubeletOwned = (type = ''): boolean => kubeletTypes.has(type);

/** A condition whose transition time is kept as long as its status is the same. */
export function condition(pod: Pod, type: string, verdict: Verdict, now: number): PodCondition {
  const { generation } = pod.metadata;
  const old = findCondition(pod.status?.conditions, type);
  const kept = old?.status === verdict.status ? old?.lastTransitionTime : undefined;
  const made: PodCondition = {
    type,
    ...verdict,
    lastTransitionTime: kept ?? formatTime(new Date(now)),
  };
  assign(made, 'observedGeneration', generation);
  return made;
}

const named = (containers: readonly ContainerView[]): string => `[${containers.map(({ name }) => name).join(' ')}]`;

function containersReadyVerdict(containers: readonly ContainerView[], phase: string): Verdict {
  if (phase === 'Succeeded') return no('PodCompleted');
  if (phase === 'Failed') return no('PodFailed');
  const counted = containers.filter(({ role }) => role === 'sidecar' || role === 'regular');
  const unready = counted.filter(({ status }) => status.ready !== true);
  return unready.length === 0 ? yes : no('ContainersNotReady', `containers with unready status: ${named(unready)}`);
}

function initializedVerdict(containers: readonly ContainerView[], phase: string): Verdict {
  if (phase === 'Succeeded') return { ...yes, reason: 'PodCompleted' };
  if (containers.some((container) => container.role === 'regular' && hasStarted(container))) return yes;
  const incomplete = containers.filter(
    ({ role, status }) => (role === 'init' && status.ready !== true) || (role === 'sidecar' && status.started !== true),
  );
  return incomplete.length === 0
    ? yes
    : no('ContainersNotInitialized', `containers with incomplete status: ${named(incomplete)}`);
}

function gatesVerdict({ spec, status }: Pod): Verdict {
  const closed = (spec?.readinessGates ?? []).flatMap(({ conditionType = '' }) => {
    const found = findCondition(status?.conditions, conditionType);
    if (found === undefined)
      return [`corresponding condition of pod readiness gate ${goQuote(conditionType)} does not exist.`];
    return found.status === 'True'
      ? []
      : [`the status of pod readiness gate ${goQuote(conditionType)} is not "True", but ${found.status ?? ''}`];
  });
  return closed.length === 0 ? yes : no('ReadinessGatesNotReady', closed.join(', '));
}
