import { Counter, Gauge, type Registry } from 'prom-client';
import { currentSpan } from '@apichain/client';
import type { EtcdRequestCounter } from '@apichain/etcd-client';
import type { StorageMetrics } from '@apichain/storage';
import { PreparedCounter, PreparedHistogram } from './prepared.ts';

const requestBuckets = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
];

/** Span names of storage operations. */
const range = 'etcdserverpb.KV/Range';
const txn = 'etcdserverpb.KV/Txn';
const callNames: ReadonlyMap<string, string> = new Map([
  ['get', range],
  ['list', range],
  ['listWithCount', range],
  ['create', txn],
  ['update', txn],
  ['delete', txn],
]);

/** Metrics of the storage layer, named as in kube-apiserver: https://kubernetes.io/docs/reference/instrumentation/metrics/ */
export function storageMetrics(registry: Registry): Required<StorageMetrics> {
  const registers = [registry];
  const counter = (name: string, help: string) => {
    const metric = new PreparedCounter({ name, help, labelNames: ['group', 'resource'], registry });
    return remembered((resource) => metric.prepare(labelsOf(resource)));
  };
  const events = eventCounters(counter);
  const terminated = counter('apiserver_terminated_watchers_total', 'Watchers closed because they were too slow.');
  const initialized = counter('apiserver_watch_cache_initializations_total', 'How often watch caches were filled.');
  const firstEvents = counter('apiserver_init_events_total', 'Objects that watch caches were filled with.');
  const bookmarks = counter('etcd_bookmark_total', 'Responses of etcd that tell a watch cache how far it has come.');
  const consistent = new Counter({
    name: 'apiserver_watch_cache_consistent_read_total',
    help: 'Consistent reads: from the cache where it succeeded, from etcd otherwise.',
    labelNames: ['group', 'resource', 'success', 'fallback'],
    registers,
  });
  const waits = new PreparedHistogram({
    name: 'apiserver_watch_cache_read_wait_seconds',
    help: 'How long reads waited until a watch cache was fresh enough, in seconds.',
    labelNames: ['group', 'resource'],
    buckets: [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3],
    registry,
  });
  const waited = remembered((resource) => waits.prepare(labelsOf(resource)));
  const watchers = new Gauge({
    name: 'apiserver_watchers',
    help: 'Open watches.',
    labelNames: ['group', 'resource'],
    registers,
  });
  return {
    etcdRequests: requestCounters(registry),
    consistentRead: (resource, outcome) => {
      const success = outcome === 'success';
      consistent.inc({ ...labelsOf(resource), success: String(success), fallback: String(!success) });
    },
    waitedForCache: (resource, seconds) => waited(resource).observe(seconds),
    eventsReceived: (resource, count) => {
      for (const series of events(resource)) series.value += count;
    },
    watcherTerminated: (resource) => {
      terminated(resource).value++;
    },
    watchers: (resource, change) => watchers.inc(labelsOf(resource), change),
    cacheInitialized: (resource, objects) => {
      initialized(resource).value++;
      firstEvents(resource).value += objects;
    },
    bookmark: (resource) => {
      bookmarks(resource).value++;
    },
    listed: listCounters(registry),
  };
}

type MakeCounter = (name: string, help: string) => (resource: string) => { value: number };

/** The counters are equal, because every event from etcd is received, cached and dispatched. */
function eventCounters(counter: MakeCounter): (resource: string) => { value: number }[] {
  const counters = [
    counter('apiserver_storage_events_received_total', 'Events received from etcd.'),
    counter('apiserver_watch_cache_events_received_total', 'Events that watch caches took in from etcd.'),
    counter('apiserver_watch_cache_events_dispatched_total', 'Events that watch caches handed to watchers.'),
  ];
  return remembered((resource) => counters.map((of) => of(resource)));
}

function requestCounters(registry: Registry): (resource: string) => EtcdRequestCounter {
  const labelNames = ['operation', 'group', 'resource'] as const;
  const duration = new PreparedHistogram({
    name: 'etcd_request_duration_seconds',
    help: 'Latency of requests to etcd by operation and resource, in seconds.',
    labelNames,
    buckets: requestBuckets,
    registry,
  });
  const total = new PreparedCounter({
    name: 'etcd_requests_total',
    help: 'Requests to etcd by operation and resource.',
    labelNames,
    registry,
  });
  const errors = new PreparedCounter({
    name: 'etcd_request_errors_total',
    help: 'Failed requests to etcd by operation and resource.',
    labelNames,
    registry,
  });
  return remembered((resource) => {
    const operations = remembered((operation) => {
      const labels = { operation, ...labelsOf(resource) };
      return { total: total.prepare(labels), errors: errors.prepare(labels), duration: duration.prepare(labels) };
    });
    return (operation, seconds, failed) => {
      const series = operations(operation);
      series.total.value++;
      series.duration.observe(seconds);
      if (failed) series.errors.value++;
      currentSpan()?.past(callNames.get(operation) ?? operation, 'client', seconds, failed ? 'failed' : undefined);
    };
  });
}

/** Lists from the cache and lists from etcd are counted by different metrics. */
function listCounters(registry: Registry): Required<StorageMetrics>['listed'] {
  const labelNames = ['group', 'resource'] as const;
  const counters = (prefix: string, where: string, more: Readonly<Record<string, string>>) => {
    const lists = new PreparedCounter({
      name: `${prefix}_list_total`,
      help: `Lists served from ${where}.`,
      labelNames: [...labelNames, ...Object.keys(more)],
      registry,
    });
    const objects = new PreparedCounter({
      name: `${prefix}_list_returned_objects_total`,
      help: `Objects in the lists served from ${where}.`,
      labelNames,
      registry,
    });
    return remembered((resource) => {
      const labels = labelsOf(resource);
      return { lists: lists.prepare({ ...labels, ...more }), objects: objects.prepare(labels) };
    });
  };
  const of = {
    watchcache: counters('apiserver_cache', 'the watch cache', { index: '' }),
    etcd: counters('apiserver_storage', 'etcd', {}),
  };
  return (resource, from, returned) => {
    const counted = of[from](resource);
    counted.lists.value++;
    counted.objects.value += returned;
  };
}

/** Splits a resource name of the storage layer, such as `deployments.apps`. */
function labelsOf(resource: string): { group: string; resource: string } {
  const dot = resource.indexOf('.');
  return dot < 0 ? { group: '', resource } : { group: resource.slice(dot + 1), resource: resource.slice(0, dot) };
}

/** Caches a value per name. The names are those of resources and operations, so the cache is bounded. */
function remembered<Value>(make: (name: string) => Value): (name: string) => Value {
  const made = new Map<string, Value>();
  return (name) => {
    let value = made.get(name);
    if (value === undefined) made.set(name, (value = make(name)));
    return value;
  };
}
