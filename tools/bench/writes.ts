/**
 * Measures how long another user waits, and how much the memory of a server grows, while one user writes large objects of many kinds, changes
 * them, reads them and deletes them. Targets are started in turn on a store of their own.
 *
 *   node tools/bench/writes.ts --target tools/bench/servers/kube-apiserver.json --target tools/bench/servers/apichain.json --etcd PATH
 */
import { errorMessage } from '@apichain/meta';
import { Pool } from 'undici';
import { flags, runCommand } from '../command/command.ts';
import { markdownTable } from '../command/table.ts';
import { bearer } from '../servers/get.ts';
import { repeat } from '../servers/parallel.ts';
import type { ServerDescription } from '../servers/server.ts';
import { exchange, HttpClient, type ExchangeOptions } from './exchange.ts';
import { cellOf, Cells, DisturbedServer, loadUser } from './neighbours-wait.ts';
import { createNamespace } from './prepare.ts';
import { startedTargetsOf } from './target.ts';
import { largeKinds, type LargeKind } from './writes/kinds.ts';

const usage = `usage: node tools/bench/writes.ts --target FILE [--target FILE ...] [options]

A FILE says how to start a server (tools/bench/servers).

  --objects N    objects of each kind (60)
  --parallel N   how many requests at a time (24)
  --kinds TEXT   only kinds whose name contains this text
  --settle N     milliseconds between two measurements, in which memory is given back (2000)
  --etcd FILE    the etcd that servers are started with (etcd)`;

const options = flags({
  target: { type: 'string', multiple: true },
  objects: { type: 'string', default: '60' },
  parallel: { type: 'string', default: '24' },
  kinds: { type: 'string', default: '' },
  settle: { type: 'string', default: '2000' },
  etcd: { type: 'string', default: 'etcd' },
});

function parse(args: readonly string[]) {
  const values = options(args);
  return { ...values, targets: startedTargetsOf(values.target) };
}

type Options = ReturnType<typeof parse>;

/** One request for an object of a kind. */
interface Verb {
  readonly name: string;
  readonly method: ExchangeOptions['method'];
  /** What follows the collection in the path. */
  readonly path: (object: string) => string;
  readonly contentType?: string;
  readonly body?: (document: Document) => object;
}

type Document = Readonly<Record<string, unknown>> & { readonly metadata: Readonly<Record<string, unknown>> };

const json = 'application/json';
const labelled = ({ metadata, ...rest }: Document) => ({
  ...rest,
  metadata: { ...metadata, labels: { changed: 'yes' } },
});

const verbs: readonly Verb[] = [
  { name: 'create', method: 'POST', path: () => '', contentType: json, body: (document) => document },
  { name: 'PUT', method: 'PUT', path: (name) => `/${name}`, contentType: json, body: labelled },
  {
    name: 'merge patch',
    method: 'PATCH',
    path: (name) => `/${name}`,
    contentType: 'application/merge-patch+json',
    body: () => ({ metadata: { labels: { patched: 'yes' } } }),
  },
  {
    name: 'apply',
    method: 'PATCH',
    path: (name) => `/${name}?fieldManager=bench&force=true`,
    contentType: 'application/apply-patch+yaml',
    body: (document) => document,
  },
  { name: 'GET', method: 'GET', path: (name) => `/${name}` },
  { name: 'delete', method: 'DELETE', path: (name) => `/${name}` },
];

const removeFinalizers: Verb = {
  name: 'finalizers removed',
  method: 'PATCH',
  path: (name) => `/${name}`,
  contentType: 'application/merge-patch+json',
  body: () => ({ metadata: { finalizers: null } }),
};

const requestTimeoutMs = 120_000;

async function run(values: Options): Promise<void> {
  const cells = new Cells();
  for (const target of values.targets) await measureTarget(target, values, cells);
  const names = values.targets.map(({ name }) => name);
  console.log(markdownTable(['write', ...names], cells.rows(names), Infinity));
}

async function measureTarget(target: ServerDescription, values: Options, cells: Cells): Promise<void> {
  const disturbed = await DisturbedServer.start(target, { etcd: values.etcd });
  const { server } = disturbed;
  const parallel = Number(values.parallel);
  const pool = new Pool(server.url, {
    connections: parallel,
    // A Node client of HTTP/2 refuses its own requests when their bodies exceed 10 MB.
    allowH2: false,
    connect: { rejectUnauthorized: false },
    headersTimeout: requestTimeoutMs,
    bodyTimeout: requestTimeoutMs,
  });
  try {
    const client = new HttpClient(server.connection, 8);
    await disturbed.prepare(client);
    await createNamespace(client, 'bench-writes');
    await client.close();
    for (const kind of largeKinds.filter(({ name }) => name.includes(values.kinds))) {
      const hasFinalizers = kind.name.includes('finalizers');
      for (const verb of hasFinalizers ? [...verbs, removeFinalizers] : verbs) {
        const { result, disturbance } = await disturbed.measure(Number(values.settle), () =>
          repeat(Number(values.objects), (i) => send(pool, kind, verb, `large-${i}`), parallel),
        );
        const statuses = [...new Set(result)].sort().join('/');
        cells.set(`${kind.name}, ${verb.name}`, target.name, cellOf(disturbance, statuses));
        if (disturbance.ended) return;
      }
    }
  } finally {
    await pool.destroy();
    await disturbed.stop();
  }
}

/** Sends one request. Returns its status, or the error of the connection: both are results. */
async function send(pool: Pool, kind: LargeKind, verb: Verb, name: string): Promise<string> {
  const { metadata, ...rest } = kind.object(name);
  const document = {
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    ...rest,
    metadata: { ...metadata, name },
  };
  const headers = {
    accept: json,
    ...bearer(loadUser),
    ...(verb.contentType === undefined ? {} : { 'content-type': verb.contentType }),
  };
  const body = verb.body === undefined ? null : JSON.stringify(verb.body(document));
  const path = `${kind.path}${verb.path(name)}`;
  try {
    const { status } = await exchange(pool, { method: verb.method, path, headers, body }, false);
    return String(status);
  } catch (error) {
    return errorMessage(error);
  }
}

await runCommand({ name: 'writes', usage, parse, run, failure: 1 });
