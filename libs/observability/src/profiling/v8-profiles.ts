import type { HeapProfiler, Profiler, Runtime, Session } from 'node:inspector/promises';
import type { Readable } from 'node:stream';
import { getHeapSnapshot } from 'node:v8';
import { sleep } from '@apichain/meta';
import type { Frame, PprofProfile, StackSample } from './pprof-profile.ts';

/** The sampling rate of Go's CPU profiler. */
const cpuSamplesPerSecond = 100;
/** Bytes between two heap samples: V8's default. */
const heapInterval = 32_768;

/** V8 has one profiler per process, so only one profile can be made at a time. */
let profiling = false;

/** Thrown when another profile of this process is being made. */
export class ProfilingInUse extends Error {
  override readonly name = 'ProfilingInUse';
}

/** A CPU profile of the process over the duration. Throws ProfilingInUse. */
export async function cpuProfile(milliseconds: number, signal: AbortSignal): Promise<PprofProfile> {
  const time = Date.now();
  const profile = await recordCpu(milliseconds, 1e6 / cpuSamplesPerSecond, signal);
  return {
    types: [
      { type: 'samples', unit: 'count' },
      { type: 'cpu', unit: 'nanoseconds' },
    ],
    samples: cpuSamples(profile),
    period: { type: 'cpu', unit: 'nanoseconds', value: 1e9 / cpuSamplesPerSecond },
    time,
    duration: Date.now() - time,
  };
}

/** The CPU profile of V8 over the duration, with a sample every so many microseconds. Throws ProfilingInUse. */
export function recordCpu(milliseconds: number, interval: number, signal: AbortSignal): Promise<Profiler.Profile> {
  return withSession(async (session) => {
    await session.post('Profiler.enable');
    await session.post('Profiler.setSamplingInterval', { interval });
    await session.post('Profiler.start');
    await sleep(milliseconds, signal);
    return (await session.post('Profiler.stop')).profile;
  });
}

/**
 * A snapshot of the heap as JSON, which `send` must read or destroy. The process does nothing else while the snapshot is taken, and then has a copy of
 * the heap until it is read. Throws ProfilingInUse, and the error of `send`.
 */
export function heapSnapshot(send: (snapshot: Readable) => Promise<void>): Promise<void> {
  return alone(async () => {
    const snapshot = getHeapSnapshot();
    try {
      await send(snapshot);
    } finally {
      snapshot.destroy();
    }
  });
}

/**
 * A heap profile of the process over the duration: all allocations, or only those in use at the end. Throws ProfilingInUse.
 */
export function heapProfile(kind: 'all' | 'inUse', milliseconds: number, signal: AbortSignal): Promise<PprofProfile> {
  return withSession(async (session) => {
    const time = Date.now();
    const collected = kind === 'all';
    await session.post('HeapProfiler.startSampling', {
      samplingInterval: heapInterval,
      includeObjectsCollectedByMajorGC: collected,
      includeObjectsCollectedByMinorGC: collected,
    });
    await sleep(milliseconds, signal);
    const { profile } = await session.post('HeapProfiler.stopSampling');
    return {
      types: [{ type: collected ? 'alloc_space' : 'inuse_space', unit: 'bytes' }],
      samples: heapSamples(profile),
      period: { type: 'space', unit: 'bytes', value: heapInterval },
      time,
      duration: Date.now() - time,
    };
  });
}

async function alone<Result>(work: () => Promise<Result>): Promise<Result> {
  if (profiling) throw new ProfilingInUse('profiling already in use');
  profiling = true;
  try {
    return await work();
  } finally {
    profiling = false;
  }
}

const withSession = <Result>(use: (session: Session) => Promise<Result>): Promise<Result> =>
  alone(async () => {
    const { Session: InspectorSession } = await import('node:inspector/promises');
    const session = new InspectorSession();
    try {
      session.connect();
      return await use(session);
    } finally {
      session.disconnect();
    }
  });

const frameOf = ({ functionName, url, lineNumber }: Runtime.CallFrame): Frame => ({
  name: functionName === '' ? '(anonymous)' : functionName,
  file: url,
  line: lineNumber + 1,
});

/** Idle time is not counted as CPU time. */
const idle = '(idle)';

function cpuSamples({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): StackSample[] {
  const parents = new Map<number, number>();
  const byId = new Map(nodes.map((node) => [node.id, node]));
  for (const { id, children = [] } of nodes) for (const child of children) parents.set(child, id);
  const stackOf = (id: number): Frame[] => {
    const stack: Frame[] = [];
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
      const node = byId.get(at);
      // The root node is not a function.
      if (node !== undefined && parents.has(at)) stack.push(frameOf(node.callFrame));
    }
    return stack;
  };
  const spent = new Map<number, { count: number; microseconds: number }>();
  for (const [index, id] of samples.entries()) {
    if (byId.get(id)?.callFrame.functionName === idle) continue;
    const entry = spent.get(id) ?? { count: 0, microseconds: 0 };
    entry.count++;
    entry.microseconds += timeDeltas[index] ?? 0;
    spent.set(id, entry);
  }
  return [...spent].map(([id, { count, microseconds }]) => ({
    stack: stackOf(id),
    values: [count, microseconds * 1000],
  }));
}

function heapSamples({ head }: HeapProfiler.SamplingHeapProfile): StackSample[] {
  const all: StackSample[] = [];
  const visit = (node: HeapProfiler.SamplingHeapProfileNode, callers: readonly Frame[]): void => {
    const stack = node === head ? [] : [frameOf(node.callFrame), ...callers];
    if (node.selfSize > 0) all.push({ stack, values: [node.selfSize] });
    for (const child of node.children) visit(child, stack);
  };
  visit(head, []);
  return all;
}
