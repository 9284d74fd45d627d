import type { PodStatus } from '@apichain/api/core/v1';
import { isKubeletOwned } from './conditions.ts';
import type { Situation } from './situation.ts';
import { nextPodStep, type PodResult, type PodStep } from './steps.ts';

/**
 * The result of a step that is due, and of the start of containers that follows the acceptance of a pod at the same moment. A kubelet reports its newest
 * status: one that is outdated before it is sent is never sent.
 */
export function newestResult(situation: Situation, step: PodStep): PodResult {
  const accepted = step.result();
  if (step.step !== 'accept') return accepted;
  const { pod, now, momentOf } = situation;
  const { startTime } = accepted.status;
  const next = nextPodStep({
    ...situation,
    pod: { ...pod, status: afterwards(pod.status, accepted.status) },
    momentOf: (time) => (time === startTime ? now : momentOf(time)),
  });
  if (next?.step !== 'start' || next.due > now) return accepted;
  const { status, events } = next.result();
  return { status, events: [...accepted.events, ...events] };
}

/** A status after a kubelet has reported its part of it. The conditions of others stay. */
export function afterwards(old: PodStatus | undefined, reported: PodStatus): PodStatus {
  const made = reported.conditions ?? [];
  const own = new Set(made.map(({ type }) => type));
  const others = (old?.conditions ?? []).filter(({ type }) => !own.has(type) && !isKubeletOwned(type));
  return { ...old, ...reported, conditions: [...others, ...made] };
}
