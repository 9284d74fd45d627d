/**
 * Injects faults into a chain under load and checks the history of its clients. Exit code 1 when a write was lost or done twice, a watch
 * had a gap, a read was stale, a list was of no single moment, or when clients took longer than allowed to go on.
 *
 * In the forms `in-process` and `services` one chain uses an etcd of three members, which fail. In the form `replicas` two replicas of each
 * service do, as docker-compose.ha.yml deploys them, and everything fails.
 *
 *   npm run chaos -- --help
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { flags, runCommand } from '../command/command.ts';
import { Server } from '../servers/server.ts';
import { EtcdCluster } from './etcd-cluster.ts';
import { etcdFaults } from './faults.ts';
import { configMaps, Load } from './load.ts';
import { isInNamespaces, loopback, namespacesProblem, runInNamespaces } from './network.ts';
import { runReplicas, type CleanUp } from './run-replicas.ts';
import { sufferAll, verdict, type Bounds } from './suffer.ts';

const usage = `usage: npm run chaos -- [options]

  --etcd FILE            the etcd to run three of (the environment variable ETCD, or etcd)
  --form FORM            in-process, services or replicas; default: all, one after the other
  --rounds N             how often each fault happens (2)
  --short                few faults, on a chain in one process and on replicas
  --only PATTERN         only the faults whose names match this regular expression
  --max-recovery SECONDS how long writes and watches may take to go on (5)

Of the form replicas:

  --workers N            the number of worker processes of each service (1)
  --release DIRECTORY    a built checkout of an earlier release: the replicas begin with it and are upgraded under load
  --no-namespaces        all processes on loopback, as without the rights of root: no partition, no slow and no full disk
  --soak SECONDS         faults at random for so long, most of them kill -9; memory and descriptors must stay flat
  --kills N              the number of kills after which the soak ends before
  --seed N               what the random choice follows from (1)
  --samples FILE         where the soak adds a line with memory, descriptors and times every ten seconds
  --fuzz N               no faults, but so many requests of the fuzzer to both replicas`;

const parse = flags({
  etcd: { type: 'string', default: process.env['ETCD'] ?? 'etcd' },
  form: { type: 'string' },
  rounds: { type: 'string', default: '2' },
  short: { type: 'boolean', default: false },
  only: { type: 'string' },
  'max-recovery': { type: 'string', default: '5' },
  workers: { type: 'string', default: '1' },
  release: { type: 'string' },
  namespaces: { type: 'boolean', default: true },
  soak: { type: 'string', default: '0' },
  kills: { type: 'string', default: '0' },
  seed: { type: 'string', default: '1' },
  samples: { type: 'string' },
  fuzz: { type: 'string', default: '0' },
});

type Options = ReturnType<typeof parse>;

const commandOf = (form: string, servers: readonly string[]): string[] => [
  ...['node', 'apps/apichain/start.js', 'up', ...(form === 'in-process' ? ['--in-process'] : [])],
  ...[`--etcd-servers=${servers.join(',')}`, '--secure-port={port}', '--data-dir={dir}/apichain'],
  ...['--token-auth-file={dir}/tokens.csv', '--disable-admission-plugins=ServiceAccount', '--controllers=-*'],
];

const boundsOf = (values: Options): Bounds => ({
  rounds: values.short ? 1 : Number(values.rounds),
  only: new RegExp(values.only ?? ''),
  holdMs: values.short ? 500 : 3_000,
  maxRecoveryMs: Number(values['max-recovery']) * 1_000,
});

/** One chain over an etcd whose members fail. Returns the violations. */
async function runOneChain(form: string, values: Options, directory: string, cleanUp: CleanUp): Promise<string[]> {
  const etcd = await EtcdCluster.start(values.etcd, directory, loopback);
  cleanUp.unshift(() => etcd.close());
  const server = await Server.start({ command: commandOf(form, etcd.urls), etcdBinary: values.etcd });
  cleanUp.unshift(() => server.stop());
  const load = new Load({ urls: [server.url], token: server.token, kind: configMaps, writers: 16, watchers: 50 });
  await load.start();
  const all = etcdFaults(etcd);
  const few = all.filter(({ name }) => name.startsWith('SIGSTOP') || name.endsWith('the leader of etcd'));
  const patient = { etcd, loads: [load] };
  const wrong = await sufferAll(patient, values.short ? few : all, boundsOf(values));
  return [...wrong, ...(await verdict(patient, false))];
}

/** Runs all faults against one form of the chain. Returns the violations, one line each. The logs are kept when there are any. */
async function runForm(form: string, values: Options): Promise<string[]> {
  console.log(`${form}:`);
  const directory = mkdtempSync(join(tmpdir(), 'apichain-chaos-'));
  const cleanUp: CleanUp = [];
  let wrong: string[] = [`logs are in ${directory}`];
  try {
    wrong = await runFormIn(directory, form, values, cleanUp);
    if (wrong.length > 0) wrong.push(`logs are in ${directory}`);
    return wrong;
  } finally {
    for (const step of cleanUp) await step();
    if (wrong.length === 0) rmSync(directory, { recursive: true, force: true });
  }
}

function runFormIn(directory: string, form: string, values: Options, cleanUp: CleanUp): Promise<string[]> {
  if (form !== 'replicas') return runOneChain(form, values, directory, cleanUp);
  const options = {
    ...{ etcdBinary: values.etcd, directory, isShort: values.short, bounds: boundsOf(values) },
    ...{ workers: Number(values.workers), release: values.release, seed: Number(values.seed) },
    ...{ soakMs: Number(values.soak) * 1_000, maxKills: Number(values.kills), samples: values.samples },
    fuzzRequests: Number(values.fuzz),
  };
  return runReplicas(options, cleanUp);
}

async function run(values: Options): Promise<number> {
  const ofAll = values.short ? ['in-process', 'replicas'] : ['in-process', 'services', 'replicas'];
  const forms = values.form === undefined ? ofAll : [values.form];
  if (values.namespaces && !isInNamespaces() && forms.includes('replicas')) {
    const problem = namespacesProblem();
    if (problem === undefined) return await runInNamespaces();
    console.log(`without partitions and disks of their own: ${problem}`);
  }
  let failures = 0;
  for (const form of forms) {
    const wrong = await runForm(form, values);
    failures += wrong.length;
    for (const line of wrong.slice(0, 20)) console.error(`chaos: ${line}`);
    if (wrong.length > 20) console.error(`chaos: and ${String(wrong.length - 20)} more`);
  }
  console.log(
    failures === 0 ? 'nothing was lost, done twice, delivered with a gap or stale' : `${String(failures)} faults`,
  );
  return failures === 0 ? 0 : 1;
}

await runCommand({ name: 'chaos', usage, parse, run, failure: 1 });
