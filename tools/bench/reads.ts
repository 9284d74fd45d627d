/**
 * Measures how long another user waits, and how much the memory of a server grows, while one user reads everything in each representation. Targets are
 * started in turn on a store of their own.
 *
 *   node tools/bench/reads.ts --target tools/bench/servers/kube-apiserver.json --target tools/bench/servers/apichain.json --etcd PATH
 */
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { errorMessage } from '@apichain/meta';
import { forgetPeak, peakMb, residentMb } from '../fuzz/stalls/memory.ts';
import { Neighbour } from '../fuzz/stalls/neighbour.ts';
import { http1Client } from './latency/client.ts';
import { neighbourPath, store, users, type Collection } from './reads/contents.ts';
import { startConversionWebhook } from './reads/custom-resources.ts';
import { readOnce } from './reads/reader.ts';
import { cborShapes, shapes, type Shape } from './reads/shapes.ts';
import { Server } from './server.ts';
import { parseTarget, type StartedTarget } from './target.ts';

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

const values = optionsOrExit();
if (values.help) {
  console.log(usage);
  process.exit(0);
}
const targets = (values.target ?? []).map(startedOrExit);
const parallel = values.parallel.split(',').map(Number);
const webhook = await startConversionWebhook();
const chosen = (values.cbor ? cborShapes : shapes).filter(({ name }) => name.includes(values.shapes));
/** What was measured, by read and target. */
const rows = new Map<string, Map<string, string>>();

for (const target of targets) await measureTarget(target);
webhook.stop();
const head = ['read', ...targets.map(({ name }) => name)];
console.log(`| ${head.join(' | ')} |\n|---|${targets.map(() => '---|').join('')}`);
for (const [read, cells] of rows)
  console.log(`| ${read} | ${targets.map(({ name }) => cells.get(name) ?? 'not measured').join(' | ')} |`);

async function measureTarget({ name, command }: StartedTarget): Promise<void> {
  const tokens = users.map((user) => `${user},${user},${user}`);
  const gate = values.cbor ? ['--feature-gates=CBORServingAndStorage=true'] : [];
  const server = await Server.start({ command: [...command, ...gate], etcdBinary: values.etcd, tokens });
  const neighbour = new Neighbour({
    target: { url: server.url, token: 'neighbour', insecure: true, timeout: neighbourTimeoutMs, connections: 1 },
    paths: [neighbourPath],
    pids: [],
  });
  try {
    const client = http1Client(server, 8);
    console.error(`${name}: stores the objects`);
    const amounts = { large: Number(values.large), pods: Number(values.pods), custom: Number(values.custom) };
    const collections = await store(client, amounts, webhook);
    await client.close();
    for (const collection of collections)
      for (const shape of chosen)
        for (const count of parallel) {
          const read = `${collection.name}, ${shape.name} x ${count}`;
          const figures = await measureRead(server, neighbour, collection, shape, count);
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
): Promise<Figures> {
  await sleep(Number(values.settle));
  const pids = server.pids;
  pids.forEach(forgetPeak);
  const before = sum(pids, residentMb);
  await neighbour.begin();
  const reads = await Promise.all(
    Array.from({ length: count }, () => readOnce(server, 'reader', path, shape, values.unread)),
  );
  const waits = await neighbour.end();
  const after = server.pids;
  const ended = pids.some((pid) => !after.includes(pid) || !existsSync(`/proc/${pid}`));
  return {
    waitMs: waits.longest,
    failed: waits.failed,
    memoryMb: ended ? Number.NaN : sum(pids, peakMb) - before,
    ended,
    megabytes: (reads[0]?.bytes ?? 0) / 1e6,
    statuses: [...new Set(reads.map(({ status }) => status))].join('/'),
  };
}

function sum(pids: readonly number[], of: (pid: number) => number): number {
  return pids.reduce((total, pid) => total + of(pid), 0);
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

function startedOrExit(text: string): StartedTarget {
  try {
    const target = parseTarget(text);
    if ('command' in target) return target;
    throw new Error(`--target: ${text} is not a file that says how to start a server`);
  } catch (error) {
    console.error(`reads: ${errorMessage(error)}`);
    process.exit(1);
  }
}

function optionsOrExit() {
  try {
    const parsed = parseArgs({
      options: {
        help: { type: 'boolean', short: 'h', default: false },
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
      },
    }).values;
    if (parsed.help || parsed.target !== undefined) return parsed;
    throw new Error('name at least one server');
  } catch (error) {
    console.error(`${errorMessage(error)}\n\n${usage}`);
    process.exit(2);
  }
}
