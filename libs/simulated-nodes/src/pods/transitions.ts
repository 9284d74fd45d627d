import type { ContainerStateTerminated, ContainerStatus } from '@apichain/api/core/v1';
import { formatDuration, formatTime, goQuote } from '@apichain/go-text';
import { integer } from '@apichain/meta';
import {
  allocatedResources,
  hasStarted,
  restartsAfter,
  containerId,
  containerIdPrefix,
  imageId,
  type ContainerView,
} from './containers.ts';
import { containerEvent, killingEvent, pullFailureEvents, startEvents, type PodEvent } from './events.ts';
import { crashBackOffMs, pullAttempt } from './back-off.ts';
import { commandLifetime } from './commands.ts';
import type { Situation, StepName } from './situation.ts';

/** What happens next to a container, and when: `due` is in milliseconds since the epoch, and may have passed. */
export interface Transition {
  readonly step: StepName;
  readonly due: number;
  /** The status that the container has afterwards, and the events that tell it. Called when it is due. */
  readonly take: () => { readonly status: ContainerStatus; readonly events: readonly PodEvent[] };
}

/** How long the containers of a Job run unless an annotation says otherwise, in milliseconds. */
const jobRunMs = 1_000;

/** The next transition of each container of a pod that is neither terminal nor deleted. */
export function transitionsOf(
  situation: Situation,
  containers: readonly ContainerView[],
): ReadonlyMap<ContainerView, Transition> {
  const found = new Map<ContainerView, Transition>();
  for (const container of containers) {
    const transition = transitionOf(situation, containers, container);
    if (transition !== undefined) found.set(container, transition);
  }
  return found;
}

function transitionOf(
  situation: Situation,
  containers: readonly ContainerView[],
  container: ContainerView,
): Transition | undefined {
  const { running, terminated } = container.status.state ?? {};
  if (running !== undefined) return whileRunning(situation, containers, container, running.startedAt);
  if (terminated !== undefined) return afterExit(situation, containers, container, terminated);
  const last = container.status.lastState?.terminated;
  return last === undefined ? beforeStart(situation, containers, container) : restart(situation, container, last);
}

function beforeStart(
  situation: Situation,
  containers: readonly ContainerView[],
  container: ContainerView,
): Transition | undefined {
  const since = startableSince(situation, containers, container);
  if (since === undefined) return undefined;
  const { start = 0, 'image-pull': pull = 0 } = container.intention;
  if (start === 'never') return undefined;
  const begin = since + start;
  if (pull === 'fails') return pullFailure(situation, container, begin);
  return {
    step: 'start',
    due: begin + pull,
    take: () => ({
      status: startedStatus(situation, container, 0),
      events: startEvents(container, pull),
    }),
  };
}

/** Since when a container that has never run may start; undefined if it may not. */
function startableSince(
  { pod, momentOf }: Situation,
  containers: readonly ContainerView[],
  container: ContainerView,
): number | undefined {
  const regularStarted = containers.some((other) => other.role === 'regular' && hasStarted(other));
  if (container.role === 'ephemeral') return regularStarted ? momentOf(pod.status?.startTime) : undefined;
  let since = momentOf(pod.status?.startTime);
  if (regularStarted && container.role !== 'init') return since;
  for (const earlier of containers) {
    if (earlier === container || earlier.role === 'regular' || earlier.role === 'ephemeral') break;
    const { state, started } = earlier.status;
    const done =
      earlier.role === 'sidecar'
        ? started === true
          ? state?.running?.startedAt
          : undefined
        : integer(state?.terminated?.exitCode) === 0
          ? state?.terminated?.finishedAt
          : undefined;
    if (done === undefined || done === null) return undefined;
    since = Math.max(since, momentOf(done));
  }
  return since;
}

function pullFailure(situation: Situation, container: ContainerView, begin: number): Transition {
  const { now } = situation;
  const { image = '' } = container.spec;
  const attempt = pullAttempt(begin, now);
  const isShown = container.status.state?.waiting?.reason === attempt.reason;
  const failure = `failed to pull and unpack image ${goQuote(image)}: the annotation image-pull of the pod says that it fails`;
  const message =
    attempt.reason === 'ErrImagePull' ? failure : `Back-off pulling image ${goQuote(image)}: ErrImagePull: ${failure}`;
  return {
    step: 'pull-fails',
    due: now < begin ? begin : isShown ? attempt.until : attempt.since,
    take: () => ({
      status: { ...container.status, state: { waiting: { reason: attempt.reason, message } } },
      events: pullFailureEvents(container, attempt.reason, failure),
    }),
  };
}

function whileRunning(
  situation: Situation,
  containers: readonly ContainerView[],
  container: ContainerView,
  startedAt: string | null | undefined,
): Transition | undefined {
  const since = situation.momentOf(startedAt);
  if (isChanged(container)) return replace(situation, container);
  const exit = exitOf(situation, containers, container, since);
  const ready = readiness(container, since);
  if (ready === undefined || (exit !== undefined && exit.due <= ready.due)) return exit;
  return ready;
}

/** Whether a simulated container runs another image than its spec wants now. */
const isChanged = ({ spec, status }: ContainerView): boolean =>
  status.containerID?.startsWith(containerIdPrefix) === true && status.image !== spec.image;

/** Runs a container anew, whatever its restart policy, because its spec has changed. */
function replace(situation: Situation, container: ContainerView): Transition {
  return {
    step: 'restart',
    due: situation.now,
    take: () => ({
      status: {
        ...startedStatus(situation, container, integer(container.status.restartCount) + 1),
        lastState: exitedStatus(situation, container, 0).state ?? {},
      },
      events: [
        killingEvent(container, `Container ${container.name} definition changed, will be restarted`),
        ...startEvents(container, 0),
      ],
    }),
  };
}

/** The next change of `started` and `ready`. Probes succeed after their initial delay. */
function readiness(container: ContainerView, since: number): Transition | undefined {
  const { started, ready } = container.status;
  const become = (due: number, change: Partial<ContainerStatus>): Transition => ({
    step: 'ready',
    due,
    take: () => ({ status: { ...container.status, ...change }, events: [] }),
  });
  const { startedMs, readyMs } = probeDelays(container);
  if (started !== true) {
    const readyToo = container.role !== 'init' && readyMs === startedMs;
    return become(since + startedMs, { started: true, ready: readyToo });
  }
  if (ready === true || container.role === 'init' || container.role === 'ephemeral' || readyMs === 'never')
    return undefined;
  return become(since + readyMs, { ready: true });
}

/** How long after its start a container has started by its startup probe, and is ready. */
function probeDelays({ spec, intention }: ContainerView): { startedMs: number; readyMs: number | 'never' } {
  const startedMs = integer(spec.startupProbe?.initialDelaySeconds) * 1_000;
  const byProbe = Math.max(startedMs, integer(spec.readinessProbe?.initialDelaySeconds) * 1_000);
  const { ready } = intention;
  return { startedMs, readyMs: ready === undefined ? byProbe : ready === 'never' ? ready : Math.max(startedMs, ready) };
}

function exitOf(
  situation: Situation,
  containers: readonly ContainerView[],
  container: ContainerView,
  since: number,
): Transition | undefined {
  const { intention, role, status } = container;
  const {
    'exit-code': exitCode = 0,
    times = Infinity,
    'exit-reason': reason = exitCode === 0 ? 'Completed' : 'Error',
  } = intention;
  const exits = intention['exit-code'] !== undefined || intention.after !== undefined;
  const exit = (due: number, code: number, why: string): Transition => ({
    step: 'exit',
    due,
    take: () => ({ status: exitedStatus(situation, container, code, why), events: [] }),
  });
  const left = situation.exitCodeOf(status.containerID ?? '');
  if (left !== undefined) return exit(situation.now, left, left === 0 ? 'Completed' : 'Error');
  if (exits && integer(status.restartCount) < times) return exit(since + (intention.after ?? 0), exitCode, reason);
  const byCommand = exits || role === 'sidecar' ? undefined : commandLifetime(container.spec);
  if (byCommand !== undefined) {
    const { runMs, exitCode: code } = byCommand;
    return runMs === Infinity ? undefined : exit(since + runMs, code, code === 0 ? 'Completed' : 'Error');
  }
  if (role === 'init') return exit(since, 0, 'Completed');
  if (role === 'sidecar') {
    const regular = containers.filter((other) => other.role === 'regular');
    return regular.every((other) => isDone(other, situation)) ? exit(since, 0, 'Completed') : undefined;
  }
  return role === 'regular' && runsToCompletion(situation) ? exit(since + jobRunMs, 0, 'Completed') : undefined;
}

const isDone = ({ spec, status }: ContainerView, { pod }: Situation): boolean =>
  status.state?.terminated !== undefined && !restartsAfter(spec, pod, integer(status.state.terminated.exitCode));

/** Whether the pod is one of a Job, whose containers exit by themselves. */
const runsToCompletion = ({ pod }: Situation): boolean =>
  pod.spec?.restartPolicy !== 'Always' &&
  pod.metadata.ownerReferences?.some(({ kind, controller }) => kind === 'Job' && controller === true) === true;

function afterExit(
  situation: Situation,
  containers: readonly ContainerView[],
  container: ContainerView,
  terminated: ContainerStateTerminated,
): Transition | undefined {
  const { pod, momentOf } = situation;
  const exitCode = integer(terminated.exitCode);
  if (container.role === 'ephemeral') return undefined;
  if (container.role === 'init' && exitCode === 0) return undefined;
  if (!restartsAfter(container.spec, pod, exitCode)) return undefined;
  const regular = containers.filter((other) => other.role === 'regular');
  if (container.role === 'sidecar' && regular.every((other) => isDone(other, situation))) return undefined;
  const backOffMs = crashBackOffMs(container.status, terminated, momentOf);
  if (backOffMs === 0) return restart(situation, container, terminated);
  const { name = '', namespace = '', uid = '' } = pod.metadata;
  const where = `${name}_${namespace}(${uid})`;
  const text = formatDuration(BigInt(backOffMs) * 1_000_000n);
  return {
    step: 'back-off',
    due: momentOf(terminated.finishedAt),
    take: () => ({
      status: {
        ...container.status,
        state: {
          waiting: {
            reason: 'CrashLoopBackOff',
            message: `back-off ${text} restarting failed container=${container.name} pod=${where}`,
          },
        },
        lastState: { terminated },
      },
      events: [
        containerEvent(
          container,
          'Warning',
          'BackOff',
          `Back-off restarting failed container ${container.name} in pod ${where}`,
        ),
      ],
    }),
  };
}

function restart(situation: Situation, container: ContainerView, terminated: ContainerStateTerminated): Transition {
  const { momentOf } = situation;
  return {
    step: 'restart',
    due: momentOf(terminated.finishedAt) + crashBackOffMs(container.status, terminated, momentOf),
    take: () => ({
      status: {
        ...startedStatus(situation, container, integer(container.status.restartCount) + 1),
        lastState: { terminated },
      },
      events: startEvents(container, 0),
    }),
  };
}

function startedStatus({ pod, now }: Situation, container: ContainerView, restartCount: number): ContainerStatus {
  const { name, spec, status, role } = container;
  const { image = '' } = spec;
  const { startedMs, readyMs } = probeDelays(container);
  return {
    ...status,
    state: { running: { startedAt: formatTime(new Date(now)) } },
    ready: role !== 'init' && role !== 'ephemeral' && readyMs === 0,
    started: startedMs === 0,
    restartCount,
    image,
    imageID: imageId(image),
    containerID: containerId(pod.metadata.uid ?? '', name, restartCount),
    ...allocatedResources(spec),
  };
}

/** The status of a running container that ends now. */
export function exitedStatus(
  { now }: Pick<Situation, 'now'>,
  container: ContainerView,
  exitCode: number,
  reason = exitCode === 0 ? 'Completed' : 'Error',
): ContainerStatus {
  const { status, role } = container;
  const { containerID = '' } = status;
  return {
    ...status,
    state: {
      terminated: {
        exitCode,
        reason,
        startedAt: status.state?.running?.startedAt ?? null,
        finishedAt: formatTime(new Date(now)),
        containerID,
      },
    },
    ready: role === 'init' && exitCode === 0,
    started: false,
  };
}
