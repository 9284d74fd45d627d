/**
 * Measures a server that holds much: how fast it is filled, how long it takes to start with that, to list all of it in every representation and to delete
 * a namespace, how long a small read waits meanwhile, and the memory. Prints a Markdown table.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { flags, runCommand, UsageError } from '../command/command.ts';
import { format, markdownTable } from '../command/table.ts';
import { definitionOf, versionOf } from '../servers/definition.ts';
import { repeat } from '../servers/parallel.ts';
import { readDescription, Server, type ServerDescription } from '../servers/server.ts';
import { HttpClient } from './exchange.ts';
import { createNamespace, podOf } from './prepare.ts';
import { shapes } from './reads/shapes.ts';

const usage = `usage: node tools/bench/size.ts --target FILE [--target FILE ...] [options]

A FILE says how to start a server (tools/bench/servers). It needs the controller that deletes namespaces.

  --pods N         pods in one namespace (50000)
  --config-maps N  config maps in another (100000)
  --namespaces N   namespaces (10000)
  --definitions N  custom resources (500)
  --deleted N      objects of the namespace that is deleted (20000)
  --etcd FILE      the etcd that servers are started with (etcd)`;

const options = flags({
  target: { type: 'string', multiple: true },
  pods: { type: 'string', default: '50000' },
  'config-maps': { type: 'string', default: '100000' },
  namespaces: { type: 'string', default: '10000' },
  definitions: { type: 'string', default: '500' },
  deleted: { type: 'string', default: '20000' },
  etcd: { type: 'string', default: 'etcd' },
});

const numbers = ['pods', 'config-maps', 'namespaces', 'definitions', 'deleted'] as const;

function parse(args: readonly string[]) {
  const values = options(args);
  if (values.target === undefined) throw new UsageError('name at least one server');
  for (const name of numbers) if (!/^\d+$/.test(values[name])) throw new UsageError(`--${name}: not a number`);
  const counts = Object.fromEntries(numbers.map((name) => [name, Number(values[name])]));
  return { etcd: values.etcd, counts, targets: values.target.map((file) => readDescription('target', file)) };
}

const inFlight = 64;
const [podsIn, mapsIn, deletedIn] = ['size-pods', 'size-maps', 'size-deleted'];
const pathOf = (namespace: string, resource: string) => `/api/v1/namespaces/${namespace}/${resource}`;
const configMap = (name: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data: { text: 'x'.repeat(300) },
});

/** What is found out about one server. */
class Report {
  readonly rows: (readonly [string, string])[] = [];

  note(what: string, value: number, unit: string): void {
    const text = `${format(value)} ${unit}`;
    console.error(`  ${what}: ${text}`);
    this.rows.push([what, text]);
  }

  /** Notes the rate of an action that is done `count` times. */
  async rate(what: string, count: number, action: (index: number) => Promise<unknown>): Promise<void> {
    const began = performance.now();
    await repeat(count, action, inFlight);
    this.note(what, (count * 1_000) / (performance.now() - began), '/s');
  }

  /** Notes how long an action takes, and how long small reads wait meanwhile. */
  async time(what: string, client: HttpClient, action: () => Promise<unknown>): Promise<void> {
    let isRunning = true;
    const waits: number[] = [];
    const reading = (async () => {
      while (isRunning) {
        const began = performance.now();
        await client.call('GET', '/api/v1/namespaces/kube-system');
        waits.push(performance.now() - began);
        await sleep(5);
      }
    })();
    const began = performance.now();
    try {
      await action();
      this.note(what, (performance.now() - began) / 1_000, 's');
    } finally {
      isRunning = false;
      await reading;
    }
    this.note(`${what}: longest wait of a small read`, Math.max(0, ...waits), 'ms');
  }
}

async function fill(client: HttpClient, report: Report, counts: Readonly<Record<string, number>>): Promise<void> {
  const { pods = 0, namespaces = 0, definitions = 0, deleted = 0, 'config-maps': maps = 0 } = counts;
  const post = (path: string, object: object) => client.call('POST', path, { body: JSON.stringify(object) });
  for (const namespace of [podsIn, mapsIn, deletedIn]) await createNamespace(client, namespace);
  await report.rate(`create ${definitions} definitions`, definitions, (i) => {
    const definition = definitionOf('size.example.com', `Kind${i}`, [versionOf('v1', { spec: { type: 'object' } })]);
    return post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
  });
  await report.rate(`create ${namespaces} namespaces`, namespaces, (i) =>
    post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: `size-${i}` } }),
  );
  await report.rate(`create ${maps} config maps`, maps, (i) => post(pathOf(mapsIn, 'configmaps'), configMap(`m${i}`)));
  await report.rate(`create ${pods} pods`, pods, (i) =>
    post(pathOf(podsIn, 'pods'), podOf(`pod-${i}`, { app: `a${i % 100}` }, { 'example.com/text': 'x'.repeat(200) })),
  );
  await report.rate(`create ${deleted} config maps to be deleted`, deleted, (i) =>
    post(pathOf(deletedIn, 'configmaps'), configMap(`m${i}`)),
  );
}

async function readAll(server: Server, report: Report, client: HttpClient): Promise<void> {
  const paths = ['/api/v1/pods', '/api/v1/configmaps', '/api/v1/namespaces'];
  await report.time('first list of everything', client, async () => {
    for (const path of paths) await client.call('GET', path);
  });
  for (const { name, headers, query, watch } of shapes) {
    if (watch || name.includes('gzip')) continue;
    const ask = async () => {
      for (const path of paths) {
        const response = await fetch(`${server.url}${path}?${query}`, {
          headers: { authorization: `Bearer ${server.token}`, ...headers },
        });
        // Read and dropped: a whole list of pods does not fit into a text.
        for await (const _part of response.body ?? []) continue;
        if (response.status !== 200 && response.status !== 406) throw new Error(`${path}: ${response.status}`);
      }
    };
    await report.time(`list everything as ${name}`, client, ask);
  }
  const waits: number[] = [];
  for (let i = 0; i < 300; i++) {
    const began = performance.now();
    await client.call('GET', `${pathOf(podsIn, 'pods')}?limit=500&labelSelector=app%3Da${i % 100}`);
    waits.push(performance.now() - began);
  }
  waits.sort((a, b) => a - b);
  report.note('one label of 100, p99', waits[Math.floor(waits.length * 0.99)] ?? 0, 'ms');
}

async function measure(description: ServerDescription, etcdBinary: string, counts: ReturnType<typeof parse>['counts']) {
  const report = new Report();
  const server = await Server.start({ command: description.command, etcdBinary });
  const open = () => new HttpClient(server.connection, inFlight + 8);
  try {
    const client = open();
    report.note('memory, idle', server.memoryMiB(), 'MiB');
    await fill(client, report, counts);
    report.note('memory, filled', server.memoryMiB(), 'MiB');
    await client.close();
    report.note('start, filled', (await server.restart()).readyMs / 1_000, 's');
    const reader = open();
    await readAll(server, report, reader);
    report.note('memory, everything listed', server.memoryMiB(), 'MiB');
    await report.time(`delete a namespace of ${counts['deleted']} objects`, reader, async () => {
      await reader.call('DELETE', `/api/v1/namespaces/${deletedIn}`);
      const read = () => reader.read('GET', `/api/v1/namespaces/${deletedIn}`, { accept: [404] });
      while (!(await read()).includes('"NotFound"')) await sleep(50);
    });
    await reader.close();
  } finally {
    await server.stop();
  }
  return report.rows;
}

async function bench({ targets, etcd, counts }: ReturnType<typeof parse>): Promise<void> {
  const columns: (readonly (readonly [string, string])[])[] = [];
  for (const target of targets) {
    console.error(target.name);
    columns.push(await measure(target, etcd, counts));
  }
  const rows = (columns[0] ?? []).map(([what], row) => [what, ...columns.map((column) => column[row]?.[1] ?? '')]);
  console.log(markdownTable(['', ...targets.map(({ name }) => name)], rows, 1));
}

// The servers that are measured have certificates that nobody signed.
process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
await runCommand({ name: 'bench', usage, parse, run: bench, failure: 1 });
