import { setTimeout as sleep } from 'node:timers/promises';
import { createNamespace, define, podOf } from './prepare.ts';
import type { Target } from './target.ts';
import { definitionOf, versionOf } from '../servers/definition.ts';
import { repeat } from '../servers/parallel.ts';
import { watchLines } from '../servers/watch-lines.ts';

/** The size of each workload. */
export interface Scale {
  readonly pods: number;
  readonly requests: number;
  readonly listRequests: number;
  /** How many lists are requested at a time. */
  readonly listsInFlight: number;
  readonly loneRequests: number;
  readonly watchers: number;
  readonly updates: number;
  readonly inFlight: number;
}

export const fullScale: Scale = {
  pods: 5_000,
  requests: 10_000,
  listRequests: 20,
  listsInFlight: 2,
  loneRequests: 300,
  watchers: 500,
  updates: 2_000,
  inFlight: 64,
};
export const shortScale: Scale = {
  pods: 200,
  requests: 300,
  listRequests: 4,
  listsInFlight: 2,
  loneRequests: 20,
  watchers: 10,
  updates: 50,
  inFlight: 16,
};

export interface Measurement {
  readonly workload: string;
  readonly unit: string;
  readonly value: number;
  /** Whether a lower value is better (time, memory). */
  readonly lowerIsBetter?: boolean;
}

/** The time after which a started server counts as idle. */
const idleMs = 8_000;

const namespace = 'bench';
const podPath = `/api/v1/namespaces/${namespace}/pods`;
const customPath = `/apis/bench.example.com/v1/namespaces/${namespace}/benchmarks`;
const crdName = 'benchmarks.bench.example.com';

const pod = (i: number): string =>
  JSON.stringify(
    podOf(`pod-${i}`, { app: 'bench', shard: `s${i % 10}` }, { 'example.com/description': 'x'.repeat(200) }),
  );

function custom(i: number): string {
  return JSON.stringify({
    apiVersion: 'bench.example.com/v1',
    kind: 'Benchmark',
    metadata: { name: `object-${i}`, labels: { shard: `s${i % 10}` } },
    spec: { replicas: i % 7, image: 'registry.example.com/team/app:1.2.3', text: 'x'.repeat(500) },
  });
}

/** Runs `count` calls, `inFlight` at a time, and returns calls per second. */
async function rate(count: number, inFlight: number, call: (i: number) => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await repeat(count, call, inFlight);
  return count / ((performance.now() - started) / 1000);
}

/** The median duration in ms of a call while no other call is running. */
async function lone(workload: string, count: number, call: (i: number) => Promise<unknown>): Promise<Measurement> {
  const times: number[] = [];
  for (let i = 0; i < count; i++) {
    const started = performance.now();
    await call(i);
    times.push(performance.now() - started);
  }
  times.sort((a, b) => a - b);
  return { workload, unit: 'ms', value: times[Math.floor(count / 2)] ?? 0, lowerIsBetter: true };
}

const perSecond = (workload: string, value: number): Measurement => ({ workload, unit: '1/s', value });

/** Measures a started target before the first request. */
export async function* measureStart(target: Target): AsyncGenerator<Measurement> {
  const { startUp } = target;
  if (startUp !== undefined) {
    const unit = 'ms';
    yield { workload: 'time to ready', unit, value: startUp.readyMs, lowerIsBetter: true };
    yield { workload: 'time to ready, its store included', unit, value: startUp.withStoreMs, lowerIsBetter: true };
    await sleep(idleMs);
  }
  yield* memory(target, 'idle');
}

function* memory(target: Target, when: string): Generator<Measurement> {
  const used = target.memory();
  if (used === undefined) return;
  const unit = 'MiB';
  yield { workload: `memory, ${when}`, unit, value: used.server, lowerIsBetter: true };
  yield { workload: `memory, ${when}, its store included`, unit, value: used.withStore, lowerIsBetter: true };
}

/** Measures the whole round, from an empty namespace to an empty namespace. */
export async function* measure(target: Target, scale: Scale): AsyncGenerator<Measurement> {
  const { pods, requests, listRequests, listsInFlight, inFlight } = scale;
  await prepare(target);
  const create = (i: number) => target.call('POST', podPath, { body: pod(i) });
  yield perSecond('CREATE pods', await rate(pods, inFlight, create));
  const some = (i: number) => `${podPath}/pod-${i % pods}`;
  yield perSecond('GET', await rate(requests, inFlight, (i) => target.call('GET', some(i))));
  yield perSecond(
    'GET, resourceVersion=0',
    await rate(requests, inFlight, (i) => target.call('GET', `${some(i)}?resourceVersion=0`)),
  );
  const list = (query: string, count: number) =>
    rate(count, listsInFlight, () => target.call('GET', `${podPath}${query}`));
  await target.call('GET', podPath);
  yield perSecond('LIST all', await list('', listRequests));
  yield perSecond('LIST all, resourceVersion=0', await list('?resourceVersion=0', listRequests));
  yield perSecond('LIST limit=500', await list('?limit=500', listRequests * 5));
  yield perSecond('LIST one label of ten', await list('?labelSelector=shard%3Ds3', listRequests * 5));
  const patch = (i: number) => target.call('PATCH', some(i), { body: `{"metadata":{"annotations":{"n":"${i}"}}}` });
  yield perSecond('PATCH', await rate(pods, inFlight, patch));
  yield await lone('PATCH, one after the other, p50', scale.loneRequests, patch);
  yield* fanOut(target, scale);
  yield* memory(target, `${pods} pods`);
  const remove = (i: number) => target.call('DELETE', `${some(i)}?gracePeriodSeconds=0`);
  yield perSecond('DELETE', await rate(pods, inFlight, remove));
  // The first CREATE workload included the first requests to a new server.
  yield perSecond('CREATE pods, once more', await rate(pods, inFlight, create));
  // Deletes one by one: on a slow machine, a single request for all pods exceeds the request timeout.
  await rate(pods, inFlight, remove);
  yield* customResources(target, scale);
}

/** Measures the delivery of each update of one object to every watcher: events per second, and the 99th percentile of the lag. */
async function* fanOut(target: Target, scale: Scale): AsyncGenerator<Measurement> {
  const { watchers, updates } = scale;
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  const name = 'fan-out';
  await target.call('DELETE', `${path}/${name}`, { accept: [404] });
  const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { n: '-1' } });
  const created = JSON.parse((await target.read('POST', path, { body })).toString('utf8')) as {
    metadata: { resourceVersion: string };
  };
  const sentAt = new Float64Array(updates);
  const lags: number[] = [];
  let delivered = 0;
  const query = `?watch=true&resourceVersion=${created.metadata.resourceVersion}&fieldSelector=metadata.name%3D${name}`;
  const onEvent = (line: () => string) => {
    delivered += 1;
    if (delivered % 20 > 0) return;
    const n = Number(/"data":\{"n":"(\d+)"/.exec(line())?.[1]);
    lags.push(performance.now() - (sentAt[n] ?? 0));
  };
  const watches = await Promise.all(
    Array.from({ length: watchers }, () => target.watch(path + query, watchLines(onEvent))),
  );
  const started = performance.now();
  await rate(updates, 8, async (i) => {
    sentAt[i] = performance.now();
    await target.call('PATCH', `${path}/${name}`, {
      body: `{"data":{"n":"${i}"}}`,
    });
  });
  const expected = watchers * updates;
  for (const deadline = Date.now() + 60_000; delivered < expected && Date.now() < deadline;) await sleep(5);
  const seconds = (performance.now() - started) / 1000;
  for (const watch of watches) {
    watch.stop();
    await watch.done;
  }
  await target.call('DELETE', `${path}/${name}`);
  if (delivered < expected) throw new Error(`${target.name}: ${delivered} of ${expected} watch events arrived`);
  lags.sort((a, b) => a - b);
  yield perSecond(`watch events, ${watchers} watchers`, expected / seconds);
  yield {
    workload: 'watch lag p99',
    unit: 'ms',
    value: lags[Math.floor(lags.length * 0.99)] ?? 0,
    lowerIsBetter: true,
  };
}

async function* customResources(target: Target, scale: Scale): AsyncGenerator<Measurement> {
  const { pods, requests, listRequests, listsInFlight, inFlight } = scale;
  yield perSecond(
    'CREATE custom',
    await rate(pods, inFlight, (i) => target.call('POST', customPath, { body: custom(i) })),
  );
  yield perSecond(
    'GET custom',
    await rate(requests, inFlight, (i) => target.call('GET', `${customPath}/object-${i % pods}`)),
  );
  await target.call('GET', customPath);
  yield perSecond('LIST all custom', await rate(listRequests, listsInFlight, () => target.call('GET', customPath)));
  yield perSecond(
    'PATCH custom',
    await rate(pods, inFlight, (i) =>
      target.call('PATCH', `${customPath}/object-${i}`, {
        body: `{"metadata":{"annotations":{"n":"${i}"}}}`,
      }),
    ),
  );
  yield perSecond(
    'DELETE custom',
    await rate(pods, inFlight, (i) => target.call('DELETE', `${customPath}/object-${i}`)),
  );
  await target.call('DELETE', `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${crdName}`);
}

async function prepare(target: Target): Promise<void> {
  await createNamespace(target, namespace);
  await target.call('DELETE', `${podPath}?gracePeriodSeconds=0`);
  const spec = { replicas: { type: 'integer' }, image: { type: 'string' }, text: { type: 'string' } };
  const version = versionOf('v1', { spec: { type: 'object', properties: spec } });
  await define(target, definitionOf('bench.example.com', 'Benchmark', [version]), customPath);
}
