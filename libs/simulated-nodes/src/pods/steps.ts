import type { ContainerStatus, PodCondition, PodStatus } from '@apichain/api/core/v1';
import { formatTime } from '@apichain/go-text';
import { assign, integer, semanticEqual } from '@apichain/meta';
import { condition, conditionsOf } from './conditions.ts';
import { type ContainerView, containersOf, hasStarted } from './containers.ts';
import { killingEvent, type PodEvent } from './events.ts';
import { isTerminal, phaseOf } from './phase.ts';
import { isRejected, rejectedStatus, type Situation, type StepName } from './situation.ts';
import { exitedStatus, type Transition, transitionsOf } from './transitions.ts';

/** What a kubelet does next to a pod, and when, in milliseconds since the epoch. A time in the past means now. */
export interface PodStep {
  readonly step: StepName;
  readonly due: number;
  /** The result, computed when it is read. Only valid once the step is due. */
  readonly result: () => PodResult;
}

/** The status after a step, and the events that tell it. */
export interface PodResult {
  readonly status: PodStatus;
  readonly events: readonly PodEvent[];
}

const stoppedByKubelet = 137;
const terminated = 143;

/** What a kubelet does next to a pod of its node; undefined if it waits for a change. */
export function nextPodStep(situation: Situation): PodStep | undefined {
  const { pod, now } = situation;
  const { status, metadata } = pod;
  const containers = containersOf(situation);
  if (metadata.deletionTimestamp !== undefined) return afterDeletion(situation, containers);
  if (status !== undefined && isRejected(status)) return undefined;
  if (isTerminal(status?.phase)) return endStep(situation, containers, 'exit') ?? updateStep(situation, containers);
  if (status?.startTime === undefined || status.startTime === null) return acceptStep(situation, containers);
  const candidates = [
    preemptStep(situation, containers),
    evictStep(situation, containers),
    deadlineStep(situation, containers),
    containerStep(situation, containers),
  ].filter((step) => step !== undefined);
  const first = candidates.reduce<PodStep | undefined>(
    (earliest, step) => (earliest === undefined || step.due < earliest.due ? step : earliest),
    undefined,
  );
  return first !== undefined && first.due <= now ? first : (updateStep(situation, containers) ?? first);
}

function acceptStep(situation: Situation, containers: readonly ContainerView[]): PodStep {
  const { pod, now, rejection } = situation;
  const rejected = rejection();
  if (rejected !== undefined) {
    const status: PodStatus = { ...rejectedStatus(rejected), startTime: formatTime(new Date(now)), conditions: [] };
    assign(status, 'observedGeneration', pod.metadata.generation);
    return { step: 'reject', due: now, result: () => ({ status, events: [{ type: 'Warning', ...rejected }] }) };
  }
  return { step: 'accept', due: situation.now, result: () => resultOf(situation, containers, []) };
}

/** All transitions of containers that are due together are one step, named after the first. */
function containerStep(situation: Situation, containers: readonly ContainerView[]): PodStep | undefined {
  const transitions = transitionsOf(situation, containers);
  const first = [...transitions.values()].reduce<Transition | undefined>(
    (earliest, transition) => (earliest === undefined || transition.due < earliest.due ? transition : earliest),
    undefined,
  );
  if (first === undefined) return undefined;
  return {
    step: first.step,
    due: first.due,
    result: () => {
      const events: PodEvent[] = [];
      const after = containers.map((container) => {
        const transition = transitions.get(container);
        if (transition === undefined || transition.due > situation.now) return container;
        const taken = transition.take();
        events.push(...taken.events);
        return { ...container, status: taken.status };
      });
      return resultOf(situation, after, events);
    },
  };
}

function updateStep(situation: Situation, containers: readonly ContainerView[]): PodStep | undefined {
  const result = resultOf(situation, containers, []);
  return isReported(situation, result.status)
    ? undefined
    : { step: 'update', due: situation.now, result: () => result };
}

/** Whether the pod has this status already, as far as a kubelet owns it. */
function isReported({ pod }: Situation, status: PodStatus): boolean {
  const { conditions = [], ...rest } = status;
  const recorded = pod.status ?? {};
  const sameFields = Object.entries(rest).every(([name, value]) =>
    semanticEqual(recorded[name as keyof PodStatus], value),
  );
  return (
    sameFields &&
    (conditions ?? []).every((made) => {
      const old = recorded.conditions?.find(({ type }) => type === made.type);
      return (['status', 'reason', 'message', 'observedGeneration'] as const).every(
        (field) => (old?.[field] ?? '') === (made[field] ?? ''),
      );
    })
  );
}

function preemptStep(situation: Situation, containers: readonly ContainerView[]): PodStep | undefined {
  const { pod, now } = situation;
  if (!situation.isPreempted()) return undefined;
  const reason = 'Preempting';
  const message = 'Preempted in order to admit critical pod';
  return {
    step: 'preempt',
    due: now,
    result: () => {
      const { after, events } = ended(situation, containers, stoppedByKubelet);
      const why = 'Pod was preempted by Kubelet to accommodate a critical pod.';
      const disrupted = { status: 'True', reason: 'TerminationByKubelet', message: why };
      return resultOf(
        situation,
        after,
        [{ type: 'Warning', reason, message }, ...events],
        { phase: 'Failed', reason, message },
        [condition(pod, 'DisruptionTarget', disrupted, now)],
      );
    },
  };
}

function evictStep(situation: Situation, containers: readonly ContainerView[]): PodStep | undefined {
  const { pod, intentions, momentOf, now } = situation;
  if (intentions.evictAfter === undefined) return undefined;
  const message = 'The node was low on resource: memory. ';
  return {
    step: 'evict',
    due: momentOf(pod.status?.startTime) + intentions.evictAfter,
    result: () => {
      const { after, events } = ended(situation, containers, stoppedByKubelet);
      const disrupted = { status: 'True', reason: 'TerminationByKubelet', message };
      return resultOf(
        situation,
        after,
        [{ type: 'Warning', reason: 'Evicted', message }, ...events],
        { phase: 'Failed', reason: 'Evicted', message },
        [condition(pod, 'DisruptionTarget', disrupted, now)],
      );
    },
  };
}

function deadlineStep(situation: Situation, containers: readonly ContainerView[]): PodStep | undefined {
  const { pod, momentOf } = situation;
  const seconds = pod.spec?.activeDeadlineSeconds;
  if (seconds === undefined) return undefined;
  const reason = 'DeadlineExceeded';
  const message = 'Pod was active on the node longer than the specified deadline';
  return {
    step: 'deadline',
    due: momentOf(pod.status?.startTime) + integer(seconds) * 1_000,
    result: () => {
      const { after, events } = ended(situation, containers, terminated);
      const exceeded: PodEvent = { type: 'Normal', reason, message };
      return resultOf(situation, after, [exceeded, ...events], { phase: 'Failed', reason, message });
    },
  };
}

/** Ends what still runs; undefined if nothing does. `isRecorded`: the event that it is stopped has been recorded already. */
function endStep(
  situation: Situation,
  containers: readonly ContainerView[],
  step: StepName,
  due = situation.now,
  exitCode = terminated,
  isRecorded = false,
): PodStep | undefined {
  if (!containers.some(isRunning)) return undefined;
  return {
    step,
    due,
    result: () => {
      const { after, events } = ended(situation, containers, exitCode);
      return resultOf(situation, after, isRecorded ? [] : events, undefined, [], true);
    },
  };
}

const isRunning = ({ status }: ContainerView): boolean => status.state?.running !== undefined;

function afterDeletion(situation: Situation, containers: readonly ContainerView[]): PodStep | undefined {
  const { pod, now, momentOf } = situation;
  const { deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata;
  const graceMs = integer(deletionGracePeriodSeconds) * 1_000;
  const end = momentOf(deletionTimestamp);
  const stopMs = Math.max(0, ...containers.filter(isRunning).map(({ intention: { stop = 0 } }) => toStop(stop)));
  const stopsItself = stopMs <= graceMs;
  const exitCode = stopsItself ? (pod.spec?.restartPolicy === 'Always' ? 0 : terminated) : stoppedByKubelet;
  const due = stopMs === 0 || graceMs === 0 ? now : stopsItself ? end - graceMs + stopMs : end;
  const stopping = endStep(situation, containers, 'terminate', due, exitCode, true);
  if (stopping !== undefined) return stopping;
  if (!isTerminal(pod.status?.phase)) {
    const failed = phaseOf(pod, containers, true);
    const phase = isTerminal(failed) ? failed : 'Failed';
    return {
      step: 'terminate',
      due: now,
      result: () => resultOf(situation, containers, [], { phase }, [], true),
    };
  }
  // With a grace period of 0 the server removes the pod itself, once nobody has a finalizer on it.
  return graceMs === 0 ? undefined : { step: 'remove', due: now, result: () => resultOf(situation, containers, []) };
}

const toStop = (stop: number | 'never'): number => (stop === 'never' ? Infinity : stop);

/** The containers after all that run have been stopped, and the events about it. */
function ended(situation: Situation, containers: readonly ContainerView[], exitCode: number) {
  const running = containers.filter(isRunning);
  return {
    after: containers.map((container) =>
      isRunning(container) ? { ...container, status: exitedStatus(situation, container, exitCode) } : container,
    ),
    events: running.map((container) => killingEvent(container)),
  };
}

/** The whole status of a pod as a kubelet reports it. `verdict` replaces the phase that follows from the containers. */
function resultOf(
  situation: Situation,
  containers: readonly ContainerView[],
  events: readonly PodEvent[],
  verdict?: Pick<PodStatus, 'phase' | 'reason' | 'message'>,
  more: readonly PodCondition[] = [],
  stopped = false,
): PodResult {
  const { pod, now, hostIP } = situation;
  const old = pod.status ?? {};
  const phase = verdict?.phase ?? (isTerminal(old.phase) ? (old.phase ?? '') : phaseOf(pod, containers, stopped));
  const hadSandbox = containers.some(hasStarted) || containers.some(({ status }) => isPulling(status));
  const hasSandbox = hadSandbox && !isTerminal(phase);
  const statusesOf = (...roles: ContainerView['role'][]): ContainerStatus[] =>
    containers.filter(({ role }) => roles.includes(role)).map(({ status }) => status);
  const status: PodStatus = {
    phase,
    conditions: [...more, ...conditionsOf(pod, containers, phase, hasSandbox, now)],
    hostIP,
    hostIPs: [{ ip: hostIP }],
    startTime: old.startTime ?? formatTime(new Date(now)),
    containerStatuses: statusesOf('regular'),
  };
  assign(status, 'observedGeneration', pod.metadata.generation);
  const hostNetwork = pod.spec?.hostNetwork === true;
  const ip = hostNetwork ? hostIP : hadSandbox ? situation.podIP() : undefined;
  if (ip !== undefined) Object.assign(status, { podIP: ip, podIPs: [{ ip }] });
  const init = statusesOf('init', 'sidecar');
  if (init.length > 0) status.initContainerStatuses = init;
  const ephemeral = statusesOf('ephemeral');
  if (ephemeral.length > 0) status.ephemeralContainerStatuses = ephemeral;
  assign(status, 'reason', verdict?.reason);
  assign(status, 'message', verdict?.message);
  return { status, events };
}

const isPulling = ({ state }: ContainerStatus): boolean =>
  ['ErrImagePull', 'ImagePullBackOff'].includes(state?.waiting?.reason ?? '');
