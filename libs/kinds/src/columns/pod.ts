import type { JsonObject, KubeObject } from '@apichain/meta';
import { at, condition, integer, isSet, list, type Plain, record, records, text } from '../fields.ts';
import { age } from './duration.ts';

/** What the columns of a pod are made of. */
interface PodSummary {
  reason: string;
  ready: number;
  total: number;
  restarts: number;
  /** The latest end of an earlier run; empty when none is known. */
  lastRestart: string;
}

const later = (a: string, b: string): string => (Date.parse(b) > (Date.parse(a) || 0) ? b : a);
const lastFinished = (status: Plain): string => text(at(status, 'lastState', 'terminated', 'finishedAt'));

const terminatedReason = (terminated: Plain, prefix: string): string => {
  const reason = text(terminated.reason);
  if (reason !== '') return prefix + reason;
  const signal = integer(terminated.signal);
  return signal === 0 ? `${prefix}ExitCode:${integer(terminated.exitCode)}` : `${prefix}Signal:${signal}`;
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

function walkInitContainers(pod: KubeObject): InitResult {
  const containers = records(at(pod.spec, 'initContainers'));
  const sidecars = new Set(containers.filter((c) => c.restartPolicy === 'Always').map((c) => text(c.name)));
  const result: InitResult = {
    initialising: false,
    ready: 0,
    restarts: 0,
    sidecarRestarts: 0,
    lastRestart: '',
    lastSidecarRestart: '',
  };
  for (const [i, status] of records(at(pod.status, 'initContainerStatuses')).entries()) {
    const isSidecar = sidecars.has(text(status.name));
    const count = integer(status.restartCount);
    result.restarts += count;
    result.lastRestart = later(result.lastRestart, lastFinished(status));
    if (isSidecar) {
      result.sidecarRestarts += count;
      result.lastSidecarRestart = later(result.lastSidecarRestart, lastFinished(status));
    }
    const terminated = at(status, 'state', 'terminated');
    if (isSet(terminated) && integer(record(terminated).exitCode) === 0) continue;
    if (isSidecar && status.started === true) {
      if (status.ready === true) result.ready++;
      continue;
    }
    const waiting = text(at(status, 'state', 'waiting', 'reason'));
    if (isSet(terminated)) result.reason = terminatedReason(record(terminated), 'Init:');
    else if (waiting !== '' && waiting !== 'PodInitializing') result.reason = `Init:${waiting}`;
    else result.reason = `Init:${i}/${containers.length}`;
    result.initialising = true;
    break;
  }
  return result;
}

/** The reason of the pod's containers, the first one decisive; counts what is ready on the way. */
function walkContainers(pod: KubeObject, summary: PodSummary): void {
  let running = false;
  let errorReason = '';
  for (const status of records(at(pod.status, 'containerStatuses')).toReversed()) {
    summary.restarts += integer(status.restartCount);
    summary.lastRestart = later(summary.lastRestart, lastFinished(status));
    const waiting = text(at(status, 'state', 'waiting', 'reason'));
    const terminated = at(status, 'state', 'terminated');
    if (waiting !== '') summary.reason = waiting;
    else if (isSet(terminated)) {
      summary.reason = terminatedReason(record(terminated), '');
      if (integer(record(terminated).exitCode) !== 0) errorReason = summary.reason;
    } else if (status.ready === true && isSet(at(status, 'state', 'running'))) {
      running = true;
      summary.ready++;
    }
  }
  if (summary.reason !== 'Completed') return;
  const podReady = condition(at(pod.status, 'conditions'), 'Ready')?.status === 'True';
  if (running && podReady) summary.reason = 'Running';
  else if (errorReason !== '') summary.reason = errorReason;
  else if (running) summary.reason = 'NotReady';
}

function summarizePod(pod: KubeObject): PodSummary {
  const status = record(pod.status);
  const phase = text(status.phase);
  const sidecarCount = records(at(pod.spec, 'initContainers')).filter((c) => c.restartPolicy === 'Always').length;
  const summary: PodSummary = {
    reason: text(status.reason) || phase,
    ready: 0,
    total: list(at(pod.spec, 'containers')).length + sidecarCount,
    restarts: 0,
    lastRestart: '',
  };
  if (condition(status.conditions, 'PodScheduled')?.reason === 'SchedulingGated') summary.reason = 'SchedulingGated';
  const init = walkInitContainers(pod);
  summary.ready = init.ready;
  if (init.reason !== undefined) summary.reason = init.reason;
  if (!init.initialising || condition(status.conditions, 'Initialized')?.status === 'True') {
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

function readinessGates(pod: KubeObject): string {
  const gates = records(at(pod.spec, 'readinessGates'));
  if (gates.length === 0) return '<none>';
  const states = new Map(
    records(at(pod.status, 'conditions'))
      .map(({ type, status }): [unknown, unknown] => [type, status])
      .toReversed(),
  );
  const open = gates.filter((gate) => states.get(text(gate.conditionType)) === 'True').length;
  return `${open}/${gates.length}`;
}

const orNone = (value: string): string => (value === '' ? '<none>' : value);

/** All cells of a pod's row at once: most come from one walk over its containers. */
export function podCells(pod: KubeObject): unknown[] {
  const summary = summarizePod(pod);
  const ago = summary.restarts !== 0 && summary.lastRestart !== '' ? ` (${age(summary.lastRestart)} ago)` : '';
  return [
    pod.metadata.name ?? '',
    `${summary.ready}/${summary.total}`,
    summary.reason,
    `${summary.restarts}${ago}`,
    age(pod.metadata.creationTimestamp),
    orNone(text(records(at(pod.status, 'podIPs'))[0]?.ip)),
    orNone(text(at(pod.spec, 'nodeName'))),
    orNone(text(at(pod.status, 'nominatedNodeName'))),
    readinessGates(pod),
  ];
}

/** Finished pods say so beside their row. */
export function podRowConditions(pod: KubeObject): JsonObject[] | undefined {
  const phase = text(at(pod.status, 'phase'));
  if (phase !== 'Succeeded' && phase !== 'Failed') return undefined;
  const messages = {
    Succeeded: 'The pod has completed successfully.',
    Failed: 'The pod failed.',
  };
  return [{ type: 'Completed', status: 'True', reason: phase, message: messages[phase] }];
}
