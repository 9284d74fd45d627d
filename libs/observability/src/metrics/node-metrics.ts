import {
  constants,
  monitorEventLoopDelay,
  performance,
  PerformanceObserver,
  type NodeGCPerformanceDetail,
  type PerformanceEntry,
} from 'node:perf_hooks';
import { getHeapSpaceStatistics, getHeapStatistics } from 'node:v8';
import { lazy } from '@apichain/meta';
import { Gauge, type Registry } from 'prom-client';
import { HistogramSeries, PreparedHistogram } from './prepared.ts';

/*
 * The metrics `nodejs_*` have the names and labels of prom-client's default metrics, which dashboards for Node know. They are not made by
 * prom-client's `collectDefaultMetrics`: it counts one garbage collection of each batch, adds the sampling interval to the lag, and has an observer
 * and a timer for each registry. Here a process has one of each, however many servers it hosts.
 */

const gcBounds = [0.001, 0.01, 0.1, 1, 2, 5];
const gcKinds: ReadonlyMap<number, string> = new Map([
  [constants.NODE_PERFORMANCE_GC_MAJOR, 'major'],
  [constants.NODE_PERFORMANCE_GC_MINOR, 'minor'],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, 'incremental'],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, 'weakcb'],
]);

/** What `PerformanceObserver` gives for a garbage collection. */
interface GcEntry extends PerformanceEntry {
  readonly detail: NodeGCPerformanceDetail;
}

/** The collections of garbage of this process since its first server was made. */
interface Collections {
  readonly byKind: ReadonlyMap<string, HistogramSeries>;
  /** Bytes of the heap in use after the last major collection: what is alive. Undefined before the first one. */
  alive: number | undefined;
}

/** Depends on the process alone. */
const collectionsOfProcess = lazy((): Collections => {
  const byKind = new Map(Array.from(gcKinds.values(), (kind) => [kind, new HistogramSeries(gcBounds)]));
  const collections: Collections = { byKind, alive: undefined };
  new PerformanceObserver((list) => {
    for (const { detail, duration } of list.getEntries() as GcEntry[]) {
      const kind = gcKinds.get(detail.kind) ?? '';
      byKind.get(kind)?.observe(duration / 1000);
      if (kind === 'major') collections.alive = getHeapStatistics().used_heap_size;
    }
  }).observe({ entryTypes: ['gc'] });
  return collections;
});

/** Nanoseconds to seconds. */
const nano = 1e-9;
const resolutionMs = 20;
/** Servers of one process, and scrapers that come at the same time, see the same interval. */
const minIntervalMs = 5_000;
/** The samples take 0.3 % of a processor, so they end when nobody reads them any more. */
const idleMs = 300_000;

/** How late the event loop was in an interval, in seconds. */
interface LoopLag {
  readonly min: number;
  readonly max: number;
  readonly mean: number;
  readonly stddev: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
}

/** Samples the event loop of this process, from the first read on, while somebody reads the figures. */
class LoopMonitor {
  readonly #delays = monitorEventLoopDelay({ resolution: resolutionMs });
  #since = -Infinity;
  #idle: NodeJS.Timeout | undefined;
  #lag: LoopLag | undefined;

  /** The lag between the previous two reads at least five seconds apart. Undefined at the first read. */
  read(): LoopLag | undefined {
    this.#stayActive();
    const now = performance.now();
    if (now - this.#since < minIntervalMs) return this.#lag;
    this.#since = now;
    const delays = this.#delays;
    // A sample is the time between two ticks, of which the interval of the timer is no lag.
    const late = (nanoseconds: number) => Math.max(0, nanoseconds * nano - resolutionMs / 1000);
    this.#lag =
      delays.count === 0
        ? undefined
        : {
            min: late(delays.min),
            max: late(delays.max),
            mean: late(delays.mean),
            stddev: delays.stddev * nano,
            p50: late(delays.percentile(50)),
            p90: late(delays.percentile(90)),
            p99: late(delays.percentile(99)),
          };
    delays.reset();
    return this.#lag;
  }

  #stayActive(): void {
    if (this.#idle !== undefined) {
      this.#idle.refresh();
      return;
    }
    this.#delays.enable();
    this.#idle = setTimeout(() => {
      this.#delays.disable();
      this.#delays.reset();
      this.#idle = undefined;
    }, idleMs).unref();
  }
}

/** Depends on the process alone. */
const loopOfProcess = lazy(() => new LoopMonitor());

/** How late the event loop is at this moment, in seconds. */
async function lagNow(): Promise<number> {
  const began = performance.now();
  await new Promise(setImmediate);
  return (performance.now() - began) / 1000;
}

/** Several workers of a service are shown as one: memory is added, of delays the longest counts. */
/** Installs metrics of the heap, its buffers, garbage collection and the event loop. They are computed when they are read. */
export function installNodeMetrics(registry: Registry): void {
  const registers = [registry];
  const gauge = (name: string, help: string, read: () => number | undefined | Promise<number>) =>
    new Gauge({
      name: `nodejs_${name}`,
      help,
      registers,
      async collect() {
        const value = await read();
        if (value === undefined) this.remove();
        else this.set(value);
      },
    });
  gauge('heap_size_total_bytes', 'Memory that the heap holds, in bytes.', () => process.memoryUsage().heapTotal);
  gauge('heap_size_used_bytes', 'Memory of the heap in use, with garbage, in bytes.', () => {
    return process.memoryUsage().heapUsed;
  });
  gauge('heap_size_limit_bytes', 'Size to which the heap may grow, in bytes.', () => {
    return getHeapStatistics().heap_size_limit;
  });
  gauge(
    'heap_size_used_after_last_gc_bytes',
    'Memory of the heap in use after the last major garbage collection, in bytes.',
    () => collectionsOfProcess().alive,
  );
  gauge('external_memory_bytes', 'Memory of objects outside of the heap, with array buffers, in bytes.', () => {
    return process.memoryUsage().external;
  });
  gauge('array_buffers_bytes', 'Memory of array buffers and of Buffers, in bytes.', () => {
    return process.memoryUsage().arrayBuffers;
  });
  heapSpaces(registry);
  garbageCollection(registry);
  gauge('eventloop_lag_seconds', 'How late the event loop is while this is read, in seconds.', lagNow);
  const lag = (figure: keyof LoopLag, what: string) =>
    gauge(
      `eventloop_lag_${figure}_seconds`,
      `${what} since the previous read, in seconds.`,
      () => loopOfProcess().read()?.[figure],
    );
  lag('min', 'Least lag of the event loop');
  lag('max', 'Greatest lag of the event loop');
  lag('mean', 'Mean lag of the event loop');
  lag('stddev', 'Standard deviation of the lag of the event loop');
  lag('p50', 'Median lag of the event loop');
  lag('p90', '90th percentile of the lag of the event loop');
  lag('p99', '99th percentile of the lag of the event loop');
  const [major = '', minor = '', patch = ''] = process.versions.node.split('.');
  new Gauge({
    name: 'nodejs_version_info',
    help: 'Always 1; the labels tell the version of Node.',
    labelNames: ['version', 'major', 'minor', 'patch'],
    registers,
    collect() {
      this.set({ version: process.version, major, minor, patch }, 1);
    },
  });
}

function heapSpaces(registry: Registry): void {
  const gauge = (figure: string, help: string, member: 'space_size' | 'space_used_size' | 'space_available_size') =>
    new Gauge({
      name: `nodejs_heap_space_size_${figure}_bytes`,
      help,
      labelNames: ['space'],
      registers: [registry],
      collect() {
        for (const space of getHeapSpaceStatistics())
          this.set({ space: space.space_name.replace(/_space$/, '') }, space[member]);
      },
    });
  gauge('total', 'Memory that each space of the heap holds, in bytes.', 'space_size');
  gauge('used', 'Memory of each space of the heap in use, in bytes.', 'space_used_size');
  gauge('available', 'Memory of each space of the heap that is free, in bytes.', 'space_available_size');
}

function garbageCollection(registry: Registry): void {
  const durations = new PreparedHistogram({
    name: 'nodejs_gc_duration_seconds',
    help: 'How long collections of garbage took, by their kind, in seconds.',
    labelNames: ['kind'],
    buckets: gcBounds,
    registry,
  });
  // Counts from now on, also if nobody reads the metrics before the load.
  for (const [kind, observed] of collectionsOfProcess().byKind) durations.prepare({ kind }, observed);
}
