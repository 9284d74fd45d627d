import type { ContainerStatus, Pod, PodStatus } from '@apichain/api/core/v1';
import { formatTime } from '@apichain/go-text';
import { intentionsOf, prefix } from './annotations.ts';
import type { PodEvent } from './events.ts';
import { Moments } from './moments.ts';
import { afterwards } from './newest.ts';
import type { Rejection } from './situation.ts';
import { nextPodStep } from './steps.ts';

/** The beginning of all times in these tests, in milliseconds since the epoch. */
export const begin = Date.UTC(2026, 0, 1);

/** The time after this many milliseconds as the API writes it. */
export const at = (milliseconds: number): string => formatTime(new Date(begin + milliseconds));

/** A pod with one container, `main`, unless the spec says otherwise. Annotations are given without their prefix. */
export function podOf(
  spec: object = {},
  annotations: Readonly<Record<string, string>> = {},
  metadata: object = {},
): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'web',
      namespace: 'default',
      uid: 'uid',
      generation: 1,
      annotations: Object.fromEntries(Object.entries(annotations).map(([key, value]) => [prefix + key, value])),
      ...metadata,
    },
    spec: {
      nodeName: 'node-1',
      restartPolicy: 'Always',
      containers: [{ name: 'main', image: 'nginx' }],
      ...spec,
    },
  };
}

/** A pod whose life is played step by step. */
export class Life {
  pod: Pod;
  now = begin;
  readonly events: PodEvent[] = [];
  /** A line for each step: the time, the step, the phase, and each container. */
  readonly trace: string[] = [];
  /** Why the kubelet does not run the pod. */
  rejection: Rejection | undefined;
  /** Whether the pod makes room for a critical one. */
  isPreempted = false;
  /** Runs of containers that have exited because a user of them said so. */
  readonly exits = new Map<string, number>();
  readonly #moments = new Moments();

  constructor(pod: Pod) {
    this.pod = pod;
  }

  /** Takes all steps up to this time, in milliseconds since the beginning. Throws Error if they do not end. */
  until(milliseconds: number): this {
    for (let steps = 0; ; steps++) {
      if (steps > 200) throw new Error(`too many steps: ${this.trace.slice(-3).join('; ')}`);
      const step = this.#next();
      if (step === undefined || step.due > begin + milliseconds) break;
      this.now = Math.max(this.now, step.due);
      const due = this.#next();
      if (due === undefined || due.due > this.now) throw new Error(`${step.step} is not due when it is`);
      if (due.step === 'remove') {
        this.trace.push(`${this.now - begin} remove`);
        break;
      }
      const { status, events } = due.result();
      this.#moments.wrote('uid', this.now);
      this.pod = { ...this.pod, status: afterwards(this.pod.status, status) };
      this.events.push(...events);
      this.trace.push(`${this.now - begin} ${due.step} ${status.phase ?? ''} ${containers(status)}`.trimEnd());
    }
    this.now = Math.max(this.now, begin + milliseconds);
    return this;
  }

  /** Deletes the pod now. */
  delete(gracePeriodSeconds = 30): this {
    const deletionTimestamp = formatTime(new Date(this.now + gracePeriodSeconds * 1_000));
    const metadata = { ...this.pod.metadata, deletionTimestamp, deletionGracePeriodSeconds: gracePeriodSeconds };
    this.pod = { ...this.pod, metadata };
    return this;
  }

  #next() {
    return nextPodStep({
      pod: this.pod,
      intentions: intentionsOf(this.pod),
      now: this.now,
      rejection: () => this.rejection,
      isPreempted: () => this.isPreempted,
      exitCodeOf: (containerID) => this.exits.get(containerID),
      hostIP: '127.0.0.1',
      podIP: () => '10.244.0.2',
      momentOf: this.#moments.of('uid', this.now),
    });
  }
}

function containers({
  initContainerStatuses = [],
  containerStatuses = [],
  ephemeralContainerStatuses = [],
}: PodStatus) {
  return [...(initContainerStatuses ?? []), ...(containerStatuses ?? []), ...(ephemeralContainerStatuses ?? [])]
    .map(shown)
    .join(' ');
}

/** `main=running`, `main=ready`, `main=Completed(0)`, `main=CrashLoopBackOff`, with the number of restarts if there are some. */
function shown({ name = '', state, ready, restartCount = 0 }: ContainerStatus): string {
  const { running, terminated, waiting } = state ?? {};
  const what =
    terminated !== undefined
      ? `${terminated.reason ?? ''}(${terminated.exitCode ?? 0})`
      : running !== undefined
        ? ready === true
          ? 'ready'
          : 'running'
        : (waiting?.reason ?? '');
  return `${name}=${what}${restartCount === 0 ? '' : `#${restartCount}`}`;
}
