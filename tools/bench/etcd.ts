/**
 * Compares etcd servers through the client that the storage library uses. Measures writes per second and their latency with 64 writes in
 * flight, and the time from the start of a write until a watch reports it. Runs several rounds in turn. Prints the medians and their ratios
 * to the first server.
 *
 *   node tools/bench/etcd.ts real=http://127.0.0.1:2379 embedded=http://127.0.0.1:2389 [here=DIRECTORY] [--rounds 3] [--seconds 5]
 *
 * A directory instead of a URL means an embedded etcd in this process, as in `apichain up --in-process`.
 */
import { parseArgs } from 'node:util';
import { setTimeout as delay } from 'node:timers/promises';
import { startEmbeddedEtcd } from '@apichain/embedded-etcd';
import { connectEtcd, createWatch, putIfAbsent, type EtcdConnection } from '@apichain/etcd-client';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '3' }, seconds: { type: 'string', default: '5' } },
});
const inFlight = 64;
const valueBytes = 1_024;
const pacedWritesPerSecond = 200;
const seconds = Number(values.seconds);
const value = Buffer.alloc(valueBytes, 'x');
let keys = 0;
const newKey = (prefix: string) =>
  Buffer.from(`/bench/${prefix}/${String(process.pid)}-${String(keys++).padStart(9, '0')}`);

const create = (etcd: EtcdConnection, key: Buffer) => putIfAbsent(etcd, key, value, '0');

const quantile = (sorted: readonly number[], q: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? NaN;
const median = (numbers: readonly number[]) =>
  quantile(
    [...numbers].sort((a, b) => a - b),
    0.5,
  );

type Figures = Record<string, number>;

/** Opens a watch on the keys with a prefix. `seen` is called with the key of each event. */
async function watch(etcd: EtcdConnection, prefix: string, seen: (key: string) => void): Promise<{ cancel(): void }> {
  const key = Buffer.from(`/bench/${prefix}/`);
  const rangeEnd = Buffer.from(`/bench/${prefix}0`);
  const created = Promise.withResolvers<void>();
  const call = await etcd.openWatch({
    onEnd: (cause) => created.reject(cause),
    onMessage: (response) => {
      if (response.created) created.resolve();
      for (const { kv } of response.events) seen(String(kv?.key));
    },
  });
  call.write(createWatch({ key, rangeEnd, startRevision: 0, prevKv: false }));
  await created.promise;
  return call;
}

async function saturated(etcd: EtcdConnection): Promise<Figures> {
  const started = new Map<string, number>();
  const watchLatencies: number[] = [];
  const latencies: number[] = [];
  const watching = await watch(etcd, 'full', (key) => {
    const begun = started.get(key);
    if (begun !== undefined) watchLatencies.push(performance.now() - begun);
    started.delete(key);
  });
  const end = performance.now() + seconds * 1_000;
  const cpu = process.cpuUsage();
  const writer = async () => {
    while (performance.now() < end) {
      const key = newKey('full');
      const begun = performance.now();
      started.set(String(key), begun);
      await create(etcd, key);
      latencies.push(performance.now() - begun);
    }
  };
  const from = performance.now();
  await Promise.all(Array.from({ length: inFlight }, writer));
  const took = (performance.now() - from) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  await delay(200);
  watching.cancel();
  latencies.sort((a, b) => a - b);
  watchLatencies.sort((a, b) => a - b);
  return {
    'writes/s, 64 in flight': latencies.length / took,
    'write p99 ms, 64 in flight': quantile(latencies, 0.99),
    'watch p99 ms, 64 in flight': quantile(watchLatencies, 0.99),
    'events missed': latencies.length - watchLatencies.length,
    'client CPU us a write': (user + system) / latencies.length,
  };
}

async function paced(etcd: EtcdConnection): Promise<Figures> {
  const started = new Map<string, number>();
  const latencies: number[] = [];
  const watching = await watch(etcd, 'paced', (key) => {
    latencies.push(performance.now() - (started.get(key) ?? NaN));
  });
  const writes: Promise<unknown>[] = [];
  for (let i = 0; i < pacedWritesPerSecond * seconds; i++) {
    const key = newKey('paced');
    started.set(String(key), performance.now());
    writes.push(create(etcd, key));
    await delay(1_000 / pacedWritesPerSecond);
  }
  await Promise.all(writes);
  await delay(200);
  watching.cancel();
  latencies.sort((a, b) => a - b);
  return { 'watch p50 ms, paced': quantile(latencies, 0.5), 'watch p99 ms, paced': quantile(latencies, 0.99) };
}

const results = new Map<string, Map<string, number[]>>();
for (let round = 0; round < Number(values.rounds); round++) {
  for (const target of positionals) {
    const [name = target, where = target] = target.split(/=(.*)/s);
    const own = where.includes('://') ? undefined : await startEmbeddedEtcd({ inProcess: true, dataDir: where });
    const etcd = connectEtcd({ servers: [own?.url ?? where], prefix: '/bench' });
    await etcd.currentRevision();
    for (const [figure, number] of Object.entries({ ...(await saturated(etcd)), ...(await paced(etcd)) })) {
      const byTarget = results.get(figure) ?? new Map<string, number[]>();
      results.set(figure, byTarget);
      byTarget.set(name, [...(byTarget.get(name) ?? []), number]);
    }
    await etcd.close();
    await own?.close();
  }
}
const names = positionals.map((target) => target.split('=')[0] ?? target);
console.log(`| figure | ${names.join(' | ')} | ratio |\n|---|${names.map(() => '---:|').join('')}---:|`);
for (const [figure, byTarget] of results) {
  const medians = names.map((name) => median(byTarget.get(name) ?? []));
  const ratio = (medians.at(-1) ?? NaN) / (medians[0] ?? NaN);
  console.log(`| ${figure} | ${medians.map((number) => number.toFixed(2)).join(' | ')} | ${ratio.toFixed(2)} |`);
}
