import type { HeapProfiler, Profiler, Runtime, Session } from 'node:inspector/promises';
import { sleep } from '@apichain/meta';
import type { Frame, PprofProfile, StackSample } from './pprof-profile.ts';

/** Go's profiler looks as often. */
const cpuSamplesPerSecond = 100;
/** Bytes between two samples of the heap, as V8 has them when nothing else is asked for. */
const heapInterval = 32_768;

/** V8 has one profiler for the whole process, so one caller at a time has it. */
let profiling = false;

/** Somebody else has a profile made of this process. */
export class ProfilingInUse extends Error {
  override readonly name = 'ProfilingInUse';
}

/** Where the process spends its time during so many milliseconds. Throws ProfilingInUse. */
export function cpuProfile(milliseconds: number, signal: AbortSignal): Promise<PprofProfile> {
  return withSession(async (session) => {
    const time = Date.now();
    await session.post('Profiler.enable');
    await session.post('Profiler.setSamplingInterval', { interval: 1e6 / cpuSamplesPerSecond });
    await session.post('Profiler.start');
    await sleep(milliseconds, signal);
    const { profile } = await session.post('Profiler.stop');
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
  });
}

/**
 * What the process allocates during so many milliseconds: all of it, or only what is still in use at the end. Throws ProfilingInUse.
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

async function withSession<Result>(use: (session: Session) => Promise<Result>): Promise<Result> {
  if (profiling) throw new ProfilingInUse('profiling already in use');
  profiling = true;
  const { Session: InspectorSession } = await import('node:inspector/promises');
  const session = new InspectorSession();
  try {
    session.connect();
    return await use(session);
  } finally {
    session.disconnect();
    profiling = false;
  }
}

const frameOf = ({ functionName, url, lineNumber }: Runtime.CallFrame): Frame => ({
  name: functionName === '' ? '(anonymous)' : functionName,
  file: url,
  line: lineNumber + 1,
});

/** Time in which nothing runs is not spent. */
const idle = '(idle)';

function cpuSamples({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): StackSample[] {
  const parents = new Map<number, number>();
  const byId = new Map(nodes.map((node) => [node.id, node]));
  for (const { id, children = [] } of nodes) for (const child of children) parents.set(child, id);
  const stackOf = (id: number): Frame[] => {
    const stack: Frame[] = [];
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
      const node = byId.get(at);
      // The outermost node is no function, only where the tree begins.
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
