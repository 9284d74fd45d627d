import type { Registry } from 'prom-client';
import type { RequestScope } from '@apichain/request';
import { exponentialBuckets, PreparedCounter, PreparedHistogram } from './prepared.ts';

const labelNames = ['group', 'version', 'resource'] as const;
const maxSeries = 2000;

type EventCounter = NonNullable<RequestScope['onEvents']>;

/** The number and size of events sent to watches: https://kubernetes.io/docs/reference/instrumentation/metrics/ */
export class WatchEventMetrics {
  readonly #total;
  readonly #sizes;
  readonly #counters = new Map<string, EventCounter>();

  constructor(registry: Registry) {
    this.#total = new PreparedCounter({
      name: 'apiserver_watch_events_total',
      help: 'Events that watches were sent.',
      labelNames,
      registry,
    });
    this.#sizes = new PreparedHistogram({
      name: 'apiserver_watch_events_sizes',
      help: 'Size of the events that watches were sent, in bytes.',
      labelNames,
      buckets: exponentialBuckets(1024, 2, 8),
      registry,
    });
  }

  /** The event counter of a watch, looked up once per watch. Undefined if the resource is not served here. */
  counterOf(scope: RequestScope, isKnown: (scope: RequestScope) => boolean): EventCounter | undefined {
    const { apiGroup: group, apiVersion: version, resource } = scope.requestInfo;
    const key = `${group}|${version}|${resource}`;
    const made = this.#counters.get(key);
    if (made !== undefined || this.#counters.size >= maxSeries || !isKnown(scope)) return made;
    const labels = { group, version, resource };
    const total = this.#total.prepare(labels);
    const sizes = this.#sizes.prepare(labels);
    const counter: EventCounter = (frames) => {
      total.value += frames.length;
      for (const { length } of frames) sizes.observe(length);
    };
    this.#counters.set(key, counter);
    return counter;
  }
}
