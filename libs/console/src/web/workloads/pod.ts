import type { Mood } from '../parts/parts.tsx';
import { quantity } from './quantity.ts';
import {
  conditionsOf,
  controllerUidOf,
  count,
  fields,
  isTrue,
  list,
  text,
  type Fields,
  type StoredObject,
} from '../api/stored-object.ts';

/** What the page shows of a pod. */
export interface Pod {
  readonly namespace: string;
  readonly name: string;
  /** Empty until the pod is bound. */
  readonly node: string;
  /** As the column STATUS of `kubectl get pods`. */
  readonly status: string;
  readonly mood: Mood;
  /** True when the condition Ready is true. */
  readonly isReady: boolean;
  readonly readyContainers: number;
  readonly containers: number;
  readonly restarts: number;
  /** What the pod takes of its node: cores and bytes, 0 when it has ended. */
  readonly cpu: number;
  readonly memory: number;
  readonly hasEnded: boolean;
  readonly controllerUid: string;
  readonly created: string | undefined;
}

export function podOf({ metadata, spec = {}, status = {} }: StoredObject): Pod {
  const phase = text(status['phase']);
  const hasEnded = phase === 'Succeeded' || phase === 'Failed';
  const isReady = isTrue(conditionsOf(status), 'Ready');
  const isLeaving = metadata.deletionTimestamp !== undefined;
  const shown = podStatus(spec, status, isLeaving);
  const counted = [...list(status['containerStatuses']), ...startedSidecars(spec, status)];
  const taken = hasEnded ? { cpu: 0, memory: 0 } : requestsOf(spec);
  return {
    ...{ namespace: metadata.namespace ?? '', name: metadata.name, node: text(spec['nodeName']) },
    ...{ status: shown, mood: moodOf(phase, shown, isReady && !isLeaving), isReady, hasEnded },
    readyContainers: counted.filter(({ ready }) => ready === true).length,
    containers: list(spec['containers']).length + sidecars(spec).length,
    restarts: counted.reduce((sum, { restartCount }) => sum + count(restartCount), 0),
    ...taken,
    controllerUid: controllerUidOf(metadata),
    created: metadata.creationTimestamp,
  };
}

const isSidecar = ({ restartPolicy }: Fields): boolean => restartPolicy === 'Always';
const sidecars = (spec: Fields): readonly Fields[] => list(spec['initContainers']).filter(isSidecar);

function startedSidecars(spec: Fields, status: Fields): readonly Fields[] {
  const names = new Set(sidecars(spec).map(({ name }) => name));
  return list(status['initContainerStatuses']).filter(({ name, started }) => names.has(name) && started === true);
}

/** The column STATUS of kubectl: printPod of pkg/printers/internalversion. */
function podStatus(spec: Fields, status: Fields, isLeaving: boolean): string {
  const phase = text(status['phase']);
  const reason = text(status['reason']);
  if (isLeaving && reason === 'NodeLost') return 'Unknown';
  if (isLeaving && phase !== 'Succeeded' && phase !== 'Failed') return 'Terminating';
  const conditions = conditionsOf(status);
  const isGated = conditions.some((condition) => condition.reason === 'SchedulingGated');
  const ofInit = isTrue(conditions, 'Initialized') ? undefined : initStatus(spec, status);
  return ofInit ?? containerStatus(status) ?? (isGated ? 'SchedulingGated' : reason || phase);
}

/** `Init:0/2`, `Init:Error`; undefined when initialization is over. */
function initStatus(spec: Fields, status: Fields): string | undefined {
  const names = new Set(sidecars(spec).map(({ name }) => name));
  const statuses = list(status['initContainerStatuses']);
  const at = statuses.findIndex(({ name, state, started }) => {
    const { terminated } = fields(state);
    return (
      !(names.has(name) && started === true) && !(terminated !== undefined && fields(terminated)['exitCode'] === 0)
    );
  });
  if (at < 0) return undefined;
  const { terminated, waiting } = fields(statuses[at]?.['state']);
  if (terminated !== undefined) return `Init:${endOf(fields(terminated))}`;
  const why = text(fields(waiting)['reason']);
  return why === '' || why === 'PodInitializing' ? `Init:${at}/${list(spec['initContainers']).length}` : `Init:${why}`;
}

/** What the containers say, the first that has something to say; undefined when they run. */
function containerStatus(status: Fields): string | undefined {
  const states = list(status['containerStatuses']).map(({ state, ready }): Fields => ({ ...fields(state), ready }));
  const said = states.flatMap(({ waiting, terminated }) => {
    if (terminated !== undefined) return [endOf(fields(terminated))];
    const why = text(fields(waiting)['reason']);
    return why === '' ? [] : [why];
  });
  if (said[0] !== 'Completed') return said[0];
  const runs = states.some(({ running, ready }) => running !== undefined && ready === true);
  if (runs && isTrue(conditionsOf(status), 'Ready')) return 'Running';
  const failed = states.find(({ terminated }) => count(fields(terminated)['exitCode']) !== 0);
  if (failed !== undefined) return endOf(fields(failed.terminated));
  return runs ? 'NotReady' : 'Completed';
}

function endOf({ reason, signal, exitCode }: Fields): string {
  if (text(reason) !== '') return text(reason);
  return count(signal) === 0 ? `ExitCode:${count(exitCode)}` : `Signal:${count(signal)}`;
}

/** Parts of the reasons of kubelets that say that something went wrong. */
const failures = /Err|BackOff|OOMKilled|Failed|Invalid|ExitCode|Signal|Evicted|Unknown|Lost|Deadline|Cannot|Unexpected/;

function moodOf(phase: string, status: string, isReady: boolean): Mood {
  if (phase === 'Succeeded') return 'plain';
  if (phase === 'Failed' || failures.test(status)) return 'bad';
  return isReady ? 'good' : 'warn';
}

interface Resources {
  readonly cpu: number;
  readonly memory: number;
}

const none: Resources = { cpu: 0, memory: 0 };
const combined = (a: Resources, b: Resources, by: (x: number, y: number) => number): Resources => ({
  cpu: by(a.cpu, b.cpu),
  memory: by(a.memory, b.memory),
});
const sum = (x: number, y: number): number => x + y;

const requested = (resources: unknown): Resources => {
  const { cpu, memory } = fields(fields(resources)['requests']);
  return { cpu: quantity(cpu), memory: quantity(memory) };
};

/**
 * What the scheduler counts for a pod: its containers and sidecars, or more if an init container needs more, and the overhead. Requests of the whole
 * pod come before those of its containers. https://kubernetes.io/docs/concepts/workloads/pods/init-containers/#resource-sharing-within-containers
 */
function requestsOf(spec: Fields): Resources {
  let running = none;
  let starting = none;
  for (const container of list(spec['initContainers'])) {
    const own = requested(container['resources']);
    if (isSidecar(container)) running = combined(running, own, sum);
    starting = combined(starting, isSidecar(container) ? running : combined(running, own, sum), Math.max);
  }
  for (const { resources } of list(spec['containers'])) running = combined(running, requested(resources), sum);
  const ofContainers = combined(running, starting, Math.max);
  const ofPod = fields(fields(spec['resources'])['requests']);
  const { cpu, memory } = fields(spec['overhead']);
  return {
    cpu: (ofPod['cpu'] === undefined ? ofContainers.cpu : quantity(ofPod['cpu'])) + quantity(cpu),
    memory: (ofPod['memory'] === undefined ? ofContainers.memory : quantity(ofPod['memory'])) + quantity(memory),
  };
}
