/** Compares etcd servers through the client that the storage library uses. */
import { setTimeout as delay } from 'node:timers/promises';
import { startEmbeddedEtcd } from '@apichain/embedded-etcd';
import { connectEtcd, createWatch, putIfAbsent, type EtcdConnection } from '@apichain/etcd-client';
import { flagsAndArguments, runCommand } from '../command/command.ts';
import { Figures, markdownTable, quantile } from '../command/table.ts';

const usage = `usage: node tools/bench/etcd.ts real=http://127.0.0.1:2379 embedded=http://127.0.0.1:2389 [here=DIRECTORY] [--rounds 3] [--seconds 5]

Measures writes per second and their latency with 64 writes in flight, and the time from the start of a write until a watch reports it. Runs several
rounds in turn. Prints the medians and their ratios to the first server. A directory instead of a URL means an embedded etcd in this process, as in
\`apichain up --in-process\`.`;

const inFlight = 64;
const valueBytes = 1_024;
const pacedWritesPerSecond = 200;
const value = Buffer.alloc(valueBytes, 'x');
let keys = 0;
const newKey = (prefix: string) =>
  Buffer.from(`/bench/${prefix}/${String(process.pid)}-${String(keys++).padStart(9, '0')}`);

const create = (etcd: EtcdConnection, key: Buffer) => putIfAbsent(etcd, key, value, '0');

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

async function saturated(etcd: EtcdConnection, seconds: number): Promise<Record<string, number>> {
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

async function paced(etcd: EtcdConnection, seconds: number): Promise<Record<string, number>> {
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

const parse = flagsAndArguments(1, {
  rounds: { type: 'string', default: '3' },
  seconds: { type: 'string', default: '5' },
});

async function run({ values, arguments: servers }: ReturnType<typeof parse>): Promise<void> {
  const results = new Figures();
  const targets = servers.map((target) => {
    const [name = target, where = target] = target.split(/=(.*)/s);
    return { name, where };
  });
  const seconds = Number(values.seconds);
  for (let round = 0; round < Number(values.rounds); round++)
    for (const { name, where } of targets) {
      const own = where.includes('://') ? undefined : await startEmbeddedEtcd({ inProcess: true, dataDir: where });
      const etcd = connectEtcd({ servers: [own?.url ?? where], prefix: '/bench' });
      await etcd.currentRevision();
      const figures = { ...(await saturated(etcd, seconds)), ...(await paced(etcd, seconds)) };
      for (const [figure, number] of Object.entries(figures)) results.add(figure, name, number);
      await etcd.close();
      await own?.close();
    }
  const names = targets.map(({ name }) => name);
  const rows = results.rows.map((figure) => {
    const medians = names.map((name) => results.median(figure, name));
    const ratio = (medians.at(-1) ?? NaN) / (medians[0] ?? NaN);
    return [figure, ...[...medians, ratio].map((number) => number.toFixed(2))];
  });
  console.log(markdownTable(['figure', ...names, 'ratio'], rows));
}

await runCommand({ name: 'etcd', usage, parse, run, failure: 1 });
