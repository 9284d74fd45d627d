import type { ContainerStateTerminated, ContainerStatus, Pod } from '@apichain/api/core/v1';
import { isSet, findCondition } from '@apichain/meta';
import type { JsonObject } from '@apichain/meta';
import { age } from './cells.ts';

/** The values from which the columns of a pod are made. */
interface PodSummary {
  reason: string;
  ready: number;
  total: number;
  restarts: number;
  /** When a container last terminated before its current run; empty when unknown. */
  lastRestart: string;
}

const later = (a: string, b: string): string => (Date.parse(b) > (Date.parse(a) || 0) ? b : a);
const lastFinished = (status: ContainerStatus): string => status.lastState?.terminated?.finishedAt ?? '';

const terminatedReason = (terminated: ContainerStateTerminated, prefix: string): string => {
  const reason = terminated.reason ?? '';
  if (reason !== '') return prefix + reason;
  const signal = terminated.signal ?? 0;
  return signal === 0 ? `${prefix}ExitCode:${terminated.exitCode ?? 0}` : `${prefix}Signal:${signal}`;
};

interface InitResult {
  initialising: boolean;
  reason?: string;
  ready: number;
  restarts: number;
  sidecarRestarts: number;
  lastRestart: string;
  lastSidecarRestart: string;
}

function walkInitContainers(pod: Pod): InitResult {
  const containers = pod.spec?.initContainers ?? [];
  const sidecars = new Set(containers.filter((c) => c.restartPolicy === 'Always').map((c) => c.name ?? ''));
  const result: InitResult = {
    initialising: false,
    ready: 0,
    restarts: 0,
    sidecarRestarts: 0,
    lastRestart: '',
    lastSidecarRestart: '',
  };
  for (const [i, status] of (pod.status?.initContainerStatuses ?? []).entries()) {
    const isSidecar = sidecars.has(status.name ?? '');
    const count = status.restartCount ?? 0;
    result.restarts += count;
    result.lastRestart = later(result.lastRestart, lastFinished(status));
    if (isSidecar) {
      result.sidecarRestarts += count;
      result.lastSidecarRestart = later(result.lastSidecarRestart, lastFinished(status));
    }
    const terminated = status.state?.terminated;
    if (isSet(terminated) && (terminated.exitCode ?? 0) === 0) continue;
    if (isSidecar && status.started === true) {
      if (status.ready === true) result.ready++;
      continue;
    }
    const waiting = status.state?.waiting?.reason ?? '';
    if (isSet(terminated)) result.reason = terminatedReason(terminated, 'Init:');
    else if (waiting !== '' && waiting !== 'PodInitializing') result.reason = `Init:${waiting}`;
    else result.reason = `Init:${i}/${containers.length}`;
    result.initialising = true;
    break;
  }
  return result;
}

/** Determines the reason from the pod's containers, where the first container takes precedence; counts ready containers and restarts. */
function walkContainers(pod: Pod, summary: PodSummary): void {
  let running = false;
  let errorReason = '';
  for (const status of (pod.status?.containerStatuses ?? []).toReversed()) {
    summary.restarts += status.restartCount ?? 0;
    summary.lastRestart = later(summary.lastRestart, lastFinished(status));
    const waiting = status.state?.waiting?.reason ?? '';
    const terminated = status.state?.terminated;
    if (waiting !== '') summary.reason = waiting;
    else if (isSet(terminated)) {
      summary.reason = terminatedReason(terminated, '');
      if ((terminated.exitCode ?? 0) !== 0) errorReason = summary.reason;
    } else if (status.ready === true && isSet(status.state?.running)) {
      running = true;
      summary.ready++;
    }
  }
  if (summary.reason !== 'Completed') return;
  const podReady = findCondition(pod.status?.conditions, 'Ready')?.status === 'True';
  if (running && podReady) summary.reason = 'Running';
  else if (errorReason !== '') summary.reason = errorReason;
  else if (running) summary.reason = 'NotReady';
}

function summarizePod(pod: Pod): PodSummary {
  const status = pod.status ?? {};
  const phase = status.phase ?? '';
  const sidecarCount = (pod.spec?.initContainers ?? []).filter((c) => c.restartPolicy === 'Always').length;
  const summary: PodSummary = {
    reason: status.reason || phase,
    ready: 0,
    total: (pod.spec?.containers ?? []).length + sidecarCount,
    restarts: 0,
    lastRestart: '',
  };
  if (findCondition(status.conditions, 'PodScheduled')?.reason === 'SchedulingGated')
    summary.reason = 'SchedulingGated';
  const init = walkInitContainers(pod);
  summary.ready = init.ready;
  if (init.reason !== undefined) summary.reason = init.reason;
  if (!init.initialising || findCondition(status.conditions, 'Initialized')?.status === 'True') {
    summary.restarts = init.sidecarRestarts;
    summary.lastRestart = init.lastSidecarRestart;
    walkContainers(pod, summary);
  } else {
    summary.restarts = init.restarts;
    summary.lastRestart = init.lastRestart;
  }
  if (isSet(pod.metadata.deletionTimestamp)) {
    if (status.reason === 'NodeLost') summary.reason = 'Unknown';
    else if (phase !== 'Succeeded' && phase !== 'Failed') summary.reason = 'Terminating';
  }
  return summary;
}

function readinessGates(pod: Pod): string {
  const gates = pod.spec?.readinessGates ?? [];
  if (gates.length === 0) return '<none>';
  const states = new Map(
    (pod.status?.conditions ?? []).map(({ type, status }): [unknown, unknown] => [type, status]).toReversed(),
  );
  const open = gates.filter((gate) => states.get(gate.conditionType ?? '') === 'True').length;
  return `${open}/${gates.length}`;
}

const orNone = (value: string): string => (value === '' ? '<none>' : value);

/** All cells of a pod's row at once, because most come from one pass over its containers. */
export function podCells(pod: Pod): unknown[] {
  const summary = summarizePod(pod);
  const ago = summary.restarts !== 0 && summary.lastRestart !== '' ? ` (${age(summary.lastRestart)} ago)` : '';
  return [
    pod.metadata.name ?? '',
    `${summary.ready}/${summary.total}`,
    summary.reason,
    `${summary.restarts}${ago}`,
    age(pod.metadata.creationTimestamp),
    orNone(pod.status?.podIPs?.[0]?.ip ?? ''),
    orNone(pod.spec?.nodeName ?? ''),
    orNone(pod.status?.nominatedNodeName ?? ''),
    readinessGates(pod),
  ];
}

/** The row conditions that mark finished pods. */
export function podRowConditions(pod: Pod): JsonObject[] | undefined {
  const phase = pod.status?.phase ?? '';
  if (phase !== 'Succeeded' && phase !== 'Failed') return undefined;
  const messages = {
    Succeeded: 'The pod has completed successfully.',
    Failed: 'The pod failed.',
  };
  return [{ type: 'Completed', status: 'True', reason: phase, message: messages[phase] }];
}
