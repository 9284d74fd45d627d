/**
 * Measures how long another user waits, and how much the memory of a server grows, while one user reads everything in each representation. Targets are
 * started in turn on a store of their own.
 *
 *   node tools/bench/reads.ts --target tools/bench/servers/kube-apiserver.json --target tools/bench/servers/apichain.json --etcd PATH
 */
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { flags, runCommand } from '../command/command.ts';
import { markdownTable } from '../command/table.ts';
import { Neighbour } from '../fuzz/stalls/neighbour.ts';
import { forgetPeak, peakMb, residentMb } from '../servers/processes.ts';
import { Server, type ServerDescription } from '../servers/server.ts';
import { HttpClient } from './exchange.ts';
import { neighbourPath, store, users, type Collection } from './reads/contents.ts';
import { startConversionWebhook, type ConversionWebhook } from './reads/custom-resources.ts';
import { readOnce } from './reads/reader.ts';
import { cborShapes, shapes, type Shape } from './reads/shapes.ts';
import { startedTargetsOf } from './target.ts';

const usage = `usage: node tools/bench/reads.ts --target FILE [--target FILE ...] [options]

A FILE says how to start a server (tools/bench/servers).

  --large N        config maps of 1.1 MB (150)
  --pods N         ordinary pods (30000)
  --custom N       custom resources of 1.1 MB, read as stored and in a version that a webhook converts (100)
  --cbor           with the feature gate CBORServingAndStorage, and read as CBOR only
  --shapes TEXT    only representations whose name contains this text
  --parallel LIST  how many reads at a time (1,3,24)
  --settle N       milliseconds between two measurements, in which memory and connections are given back (2000)
  --unread         read no byte of the responses and end the connections after 5 s
  --etcd FILE      the etcd that servers are started with (etcd)`;

interface Figures {
  readonly waitMs: number;
  readonly failed: number;
  readonly memoryMb: number;
  /** Whether a process of the server has ended. */
  readonly ended: boolean;
  readonly megabytes: number;
  readonly statuses: string;
}

const neighbourTimeoutMs = 120_000;
/** The representation of the read that fills the watch cache. */
const plain: Shape = { name: 'JSON', headers: {}, query: '', watch: false };

const options = flags({
  target: { type: 'string', multiple: true },
  large: { type: 'string', default: '150' },
  pods: { type: 'string', default: '30000' },
  custom: { type: 'string', default: '100' },
  cbor: { type: 'boolean', default: false },
  shapes: { type: 'string', default: '' },
  parallel: { type: 'string', default: '1,3,24' },
  settle: { type: 'string', default: '2000' },
  unread: { type: 'boolean', default: false },
  etcd: { type: 'string', default: 'etcd' },
});

function parse(args: readonly string[]) {
  const values = options(args);
  return { ...values, targets: startedTargetsOf(values.target) };
}

type Options = ReturnType<typeof parse>;

async function run(values: Options): Promise<void> {
  const webhook = await startConversionWebhook();
  /** What was measured, by read and target. */
  const rows = new Map<string, Map<string, string>>();
  for (const target of values.targets) await measureTarget(target, values, webhook, rows);
  await webhook.close();
  const names = values.targets.map(({ name }) => name);
  const cells = [...rows].map(([read, row]) => [read, ...names.map((name) => row.get(name) ?? 'not measured')]);
  console.log(markdownTable(['read', ...names], cells, Infinity));
}

async function measureTarget(
  { name, command }: ServerDescription,
  values: Options,
  webhook: ConversionWebhook,
  rows: Map<string, Map<string, string>>,
): Promise<void> {
  const parallel = values.parallel.split(',').map(Number);
  const chosen = (values.cbor ? cborShapes : shapes).filter((shape) => shape.name.includes(values.shapes));
  const tokens = users.map((user) => `${user},${user},${user}`);
  const gate = values.cbor ? ['--feature-gates=CBORServingAndStorage=true'] : [];
  const server = await Server.start({ command: [...command, ...gate], etcdBinary: values.etcd, tokens });
  const neighbour = new Neighbour({
    target: {
      url: server.url,
      token: 'neighbour',
      insecureSkipTlsVerify: true,
      timeout: neighbourTimeoutMs,
      connections: 1,
    },
    paths: [neighbourPath],
    pids: [],
  });
  try {
    const client = new HttpClient(server.connection, 8);
    console.error(`${name}: stores the objects`);
    const amounts = { large: Number(values.large), pods: Number(values.pods), custom: Number(values.custom) };
    const collections = await store(client, amounts, webhook);
    await client.close();
    // kube-apiserver fills its watch caches when it starts, our servers with the first read. It is not the memory of a read.
    for (const { path } of collections) await readOnce(server, 'reader', path, plain, false);
    for (const collection of collections)
      for (const shape of chosen)
        for (const count of parallel) {
          const read = `${collection.name}, ${shape.name} x ${count}`;
          const figures = await measureRead(server, neighbour, collection, shape, count, values);
          const cell = cellOf(figures);
          console.error(`${name}: ${read}: ${cell}`);
          rows.set(read, (rows.get(read) ?? new Map<string, string>()).set(name, cell));
          if (figures.ended) return;
        }
  } finally {
    await neighbour.stop();
    await server.stop();
  }
}

async function measureRead(
  server: Server,
  neighbour: Neighbour,
  { path }: Collection,
  shape: Shape,
  count: number,
  { settle, unread }: Options,
): Promise<Figures> {
  await sleep(Number(settle));
  const pids = server.pids;
  pids.forEach(forgetPeak);
  const before = residentMb(pids);
  await neighbour.begin();
  const reads = await Promise.all(Array.from({ length: count }, () => readOnce(server, 'reader', path, shape, unread)));
  const waits = await neighbour.end();
  const after = server.pids;
  const ended = pids.some((pid) => !after.includes(pid) || !existsSync(`/proc/${pid}`));
  return {
    waitMs: waits.longest,
    failed: waits.failed,
    memoryMb: ended ? Number.NaN : peakMb(pids) - before,
    ended,
    megabytes: (reads[0]?.bytes ?? 0) / 1e6,
    statuses: [...new Set(reads.map(({ status }) => status))].join('/'),
  };
}

function cellOf({ waitMs, failed, memoryMb, ended, megabytes, statuses }: Figures): string {
  const parts = [
    `${waitMs.toFixed(0)} ms`,
    `+${Math.max(0, memoryMb).toFixed(0)} MB`,
    `${statuses}, ${megabytes.toFixed(0)} MB`,
  ];
  if (failed > 0) parts.push(`${failed} of the neighbour's requests failed`);
  if (ended) parts.push('a process ended');
  return parts.join('; ');
}

await runCommand({ name: 'reads', usage, parse, run, failure: 1 });
