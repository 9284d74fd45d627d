import type { ContainerStatus, Pod } from '@apichain/api/core/v1';
import { goQuote } from '@apichain/go-text';
import { type ContainerView, containersOf } from '../pods/containers.ts';
import { commandLifetime } from '../pods/commands.ts';
import { intentionsOf } from '../pods/annotations.ts';

/** What a client asks of a log. */
export interface LogOptions {
  readonly follow: boolean;
  readonly previous: boolean;
  readonly timestamps: boolean;
  readonly tailLines: number | undefined;
  /** Milliseconds since the epoch. */
  readonly since: number | undefined;
  readonly limitBytes: number;
}

/** The options in the query of a kubelet's /containerLogs. `now` is in milliseconds since the epoch. */
export function logOptions(query: URLSearchParams, now: number): LogOptions {
  const number = (name: string) => (query.has(name) ? Number(query.get(name)) : undefined);
  const seconds = number('sinceSeconds');
  const time = query.get('sinceTime');
  return {
    follow: query.get('follow') === 'true',
    previous: query.get('previous') === 'true',
    timestamps: query.get('timestamps') === 'true',
    tailLines: number('tailLines'),
    since: seconds !== undefined ? now - seconds * 1_000 : time === null ? undefined : Date.parse(time),
    limitBytes: number('limitBytes') ?? Infinity,
  };
}

/** One run of a container: from a start to an end, or until now. */
export interface ContainerRun {
  readonly containerID: string;
  readonly startedAt: string;
  readonly isOver: boolean;
}

/** A container of a pod by name. */
export const containerNamed = (pod: Pod, name: string): ContainerView | undefined =>
  containersOf({ pod, intentions: intentionsOf(pod) }).find((container) => container.name === name);

/** The run whose log is asked for. Throws Error in the words of a kubelet when there is none. After validateContainerLogStatus. */
export function runOf(pod: Pod, container: ContainerView | undefined, name: string, previous: boolean): ContainerRun {
  const where = `container ${goQuote(name)} in pod ${goQuote(pod.metadata.name ?? '')}`;
  if (container === undefined || !hasStatus(pod, name)) throw new Error(`${where} is not available`);
  const { state, lastState, containerID = '' }: ContainerStatus = container.status;
  const last = lastState?.terminated;
  const lastRun = last && { containerID: last.containerID ?? '', startedAt: last.startedAt ?? '', isOver: true };
  if (previous) {
    if (lastRun === undefined) throw new Error(`previous terminated ${where} not found`);
    return lastRun;
  }
  if (state?.running !== undefined) return { containerID, startedAt: state.running.startedAt ?? '', isOver: false };
  if (state?.terminated !== undefined)
    return { containerID, startedAt: state.terminated.startedAt ?? '', isOver: true };
  if (lastRun !== undefined) return lastRun;
  const reason = state?.waiting?.reason ?? '';
  throw new Error(`${where} is waiting to start: ${waits[reason] ?? reason}`);
}

const waits: Readonly<Record<string, string>> = {
  ErrImagePull: "image can't be pulled",
  ImagePullBackOff: 'trying and failing to pull image',
};

function hasStatus({ status }: Pod, name: string): boolean {
  const { containerStatuses, initContainerStatuses, ephemeralContainerStatuses } = status ?? {};
  return [containerStatuses, initContainerStatuses, ephemeralContainerStatuses].some(
    (statuses) => statuses?.some((known) => known.name === name) === true,
  );
}

/**
 * The lines of a run until now, in milliseconds since the epoch: those of the annotation `log`, those that its command has printed, or one that says that the
 * container is simulated. Each ends with a line feed.
 */
export function logLines({ name, spec, intention }: ContainerView, run: ContainerRun, now: number): string[] {
  const output = outputOf({ spec, intention }, run);
  if (output.length > 0)
    return output.filter(({ moment }) => run.isOver || moment <= now).map(({ moment, at }) => `${at(moment)}\n`);
  const text = intention.log ?? `simulated container ${name} of image ${spec.image ?? ''}`;
  return text === ''
    ? []
    : text
        .replace(/\n$/, '')
        .split('\n')
        .map((line) => `${line}\n`);
}

/** When a container prints its next line, in milliseconds since the epoch. Undefined if it prints none. */
export const nextLineAt = (container: ContainerView, run: ContainerRun, now: number): number | undefined =>
  outputOf(container, run).find(({ moment }) => moment > now)?.moment;

/** What the command of a container prints in a run, unless the annotation `log` says it. */
function outputOf({ spec, intention }: Pick<ContainerView, 'spec' | 'intention'>, { startedAt }: ContainerRun) {
  const output = intention.log === undefined ? (commandLifetime(spec)?.output ?? []) : [];
  return output.map(({ afterMs, at }) => ({ moment: Date.parse(startedAt) + afterMs, at }));
}

/** The lines as the client wants them. All lines of a run have the time of its start. */
export function selectLines(lines: readonly string[], { startedAt }: ContainerRun, options: LogOptions): string[] {
  const { since, tailLines, timestamps } = options;
  if (since !== undefined && Date.parse(startedAt) < Math.floor(since / 1_000) * 1_000) return [];
  const tail = tailLines === undefined ? lines : tailLines === 0 ? [] : lines.slice(-tailLines);
  return tail.map((line) => (timestamps ? `${startedAt.replace('Z', '.000000000Z')} ${line}` : line));
}
