/**
 * Measures how long another user waits, and how much the memory of a server grows, while one user reads everything in each representation. Targets are
 * started in turn on a store of their own.
 *
 *   node tools/bench/reads.ts --target tools/bench/servers/kube-apiserver.json --target tools/bench/servers/apichain.json --etcd PATH
 */
import { flags, runCommand } from '../command/command.ts';
import { markdownTable } from '../command/table.ts';
import type { ServerDescription } from '../servers/server.ts';
import { HttpClient } from './exchange.ts';
import { cellOf, Cells, DisturbedServer, loadUser } from './neighbours-wait.ts';
import { store } from './reads/contents.ts';
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
  --collections TEXT only collections whose name contains this text
  --shapes TEXT    only representations whose name contains this text
  --parallel LIST  how many reads at a time (1,3,24)
  --settle N       milliseconds between two measurements, in which memory and connections are given back (2000)
  --unread         read no byte of the responses and end the connections after 5 s
  --etcd FILE      the etcd that servers are started with (etcd)`;

/** The representation of the read that fills the watch cache. */
const plain: Shape = { name: 'JSON', headers: {}, query: '', watch: false };

const options = flags({
  target: { type: 'string', multiple: true },
  large: { type: 'string', default: '150' },
  pods: { type: 'string', default: '30000' },
  custom: { type: 'string', default: '100' },
  cbor: { type: 'boolean', default: false },
  collections: { type: 'string', default: '' },
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
  const cells = new Cells();
  for (const target of values.targets) await measureTarget(target, values, webhook, cells);
  await webhook.close();
  const names = values.targets.map(({ name }) => name);
  console.log(markdownTable(['read', ...names], cells.rows(names), Infinity));
}

async function measureTarget(
  target: ServerDescription,
  values: Options,
  webhook: ConversionWebhook,
  cells: Cells,
): Promise<void> {
  const parallel = values.parallel.split(',').map(Number);
  const chosen = (values.cbor ? cborShapes : shapes).filter((shape) => shape.name.includes(values.shapes));
  const gate = values.cbor ? ['--feature-gates=CBORServingAndStorage=true'] : [];
  const disturbed = await DisturbedServer.start(target, { etcd: values.etcd, flags: gate });
  const { server } = disturbed;
  try {
    const client = new HttpClient(server.connection, 8);
    console.error(`${target.name}: stores the objects`);
    await disturbed.prepare(client);
    const amounts = { large: Number(values.large), pods: Number(values.pods), custom: Number(values.custom) };
    const collections = await store(client, amounts, webhook);
    await client.close();
    // kube-apiserver fills its watch caches when it starts, our servers with the first read. It is not the memory of a read.
    for (const { path } of collections) await readOnce(server, loadUser, path, plain, false);
    for (const { name, path } of collections.filter((each) => each.name.includes(values.collections)))
      for (const shape of chosen)
        for (const count of parallel) {
          const { result, disturbance } = await disturbed.measure(Number(values.settle), () =>
            Promise.all(Array.from({ length: count }, () => readOnce(server, loadUser, path, shape, values.unread))),
          );
          const statuses = [...new Set(result.map(({ status }) => status))].join('/');
          const done = `${statuses}, ${((result[0]?.bytes ?? 0) / 1e6).toFixed(0)} MB`;
          cells.set(`${name}, ${shape.name} x ${count}`, target.name, cellOf(disturbance, done));
          if (disturbance.ended) return;
        }
  } finally {
    await disturbed.stop();
  }
}

await runCommand({ name: 'reads', usage, parse, run, failure: 1 });
