/**
 * Injects faults into a three-member etcd cluster under load and checks the history of the clients of the chain that uses it. The faults
 * are kill -9 and SIGSTOP of the leader and of each endpoint in turn, with writers, readers and watchers. Exit code 1 when a write was lost
 * or done twice, a watch had a gap, a read was stale, or when writes and watches took longer than allowed to resume after a leader was
 * elected.
 *
 *   npm run chaos -- [--etcd PATH] [--rounds 2] [--short] [--form in-process
 * services] [--max-recovery SECONDS]
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { flags, runCommand } from '../command/command.ts';
import { Server } from '../servers/server.ts';
import { EtcdCluster, type Fault } from './cluster.ts';
import { violations } from './history.ts';
import { Load } from './load.ts';

const usage = `usage: npm run chaos -- [options]

  --etcd FILE            the etcd to run three of (the environment variable ETCD, or etcd)
  --form FORM            in-process or services; default: both, one after the other
  --rounds N             how often each fault happens (2)
  --short                five faults on a chain in one process
  --max-recovery SECONDS how long writes and watches may take to go on once there is a leader (5)`;

const parse = flags({
  etcd: { type: 'string', default: process.env['ETCD'] ?? 'etcd' },
  form: { type: 'string' },
  rounds: { type: 'string', default: '2' },
  short: { type: 'boolean', default: false },
  'max-recovery': { type: 'string', default: '5' },
});

type Options = ReturnType<typeof parse>;

type Target = 'leader' | 0 | 1 | 2;
const recoveryTimeoutMs = 60_000;
const faults: readonly Fault[] = ['kill', 'stop'];
/** Ordered by fault: the chain no longer uses the member that one fault has hit when the next fault comes. */
const everyFault = faults.flatMap((fault) => (['leader', 0, 1, 2] as const).map((target) => ({ target, fault })));
const fewFaults = everyFault.filter(({ target, fault }) => target === 'leader' || fault === 'stop');

const commandOf = (form: string, servers: readonly string[]): string[] => [
  ...['node', 'apps/apichain/start.js', 'up', ...(form === 'in-process' ? ['--in-process'] : [])],
  ...[`--etcd-servers=${servers.join(',')}`, '--secure-port={port}', '--data-dir={dir}/apichain'],
  ...['--token-auth-file={dir}/tokens.csv', '--disable-admission-plugins=ServiceAccount', '--controllers=-*'],
];

const seconds = (milliseconds: number) => `${(milliseconds / 1_000).toFixed(1)} s`;

/** Injects one fault and waits until everything runs again. Returns the violations. */
async function suffer(
  cluster: EtcdCluster,
  load: Load,
  { fault, target }: { readonly fault: Fault; readonly target: Target },
  values: Options,
): Promise<string[]> {
  const leader = await cluster.untilLed(recoveryTimeoutMs);
  const member = target === 'leader' ? leader : target;
  const what = `${fault} of ${target === 'leader' ? 'the leader' : `endpoint ${String(target)}`}${member === leader && target !== 'leader' ? ', the leader' : ''}`;
  const failed = performance.now();
  await cluster.fail(member, fault);
  await cluster.untilLed(recoveryTimeoutMs);
  const led = performance.now();
  const again = await load.untilWritten(led, recoveryTimeoutMs);
  if (again === undefined) return [`${what}: writes or watches did not go on within ${seconds(recoveryTimeoutMs)}`];
  console.log(
    `  ${what}: a leader after ${seconds(led - failed)}; then every writer after ${seconds(again.writers - led)}, every watcher after ${seconds(again.watchers - led)}`,
  );
  // So long the member stays failed after all clients have resumed without it.
  await sleep(values.short ? 500 : 3_000);
  cluster.restore(member);
  await cluster.untilLed(recoveryTimeoutMs);
  const recovery = again.watchers - led;
  return recovery > Number(values['max-recovery']) * 1_000
    ? [`${what}: it took ${seconds(recovery)} until everything went on`]
    : [];
}

/** Runs all faults against one form of the chain. Returns the violations, one line each. */
async function runForm(form: string, values: Options): Promise<string[]> {
  console.log(`${form}:`);
  const cluster = await EtcdCluster.start(values.etcd);
  const cleanUp: (() => Promise<unknown>)[] = [() => cluster.close()];
  try {
    const server = await Server.start({ command: commandOf(form, cluster.urls), etcdBinary: values.etcd });
    cleanUp.unshift(() => server.stop());
    const load = new Load({ url: server.url, token: server.token, writers: 16, watchers: 50 });
    await load.start();
    const wrong: string[] = [];
    const schedule = values.short ? fewFaults : Array.from({ length: Number(values.rounds) }, () => everyFault).flat();
    for (const fault of schedule) wrong.push(...(await suffer(cluster, load, fault, values)));
    const { history, errors } = await load.finish(recoveryTimeoutMs);
    const acknowledged = history.writes.filter(({ outcome }) => outcome === 'acknowledged').length;
    const unknown = history.writes.filter(({ outcome }) => outcome === 'unknown').length;
    console.log(
      `  ${String(acknowledged)} writes acknowledged, ${String(unknown)} of unknown outcome; ${String(history.reads.length)} reads; ${String(history.watches.length)} watches of ${String(history.watches[0]?.length)} changes`,
    );
    return [...wrong, ...errors, ...violations(history)];
  } finally {
    for (const step of cleanUp) await step();
  }
}

async function run(values: Options): Promise<number> {
  const forms =
    values.form === undefined ? (values.short ? ['in-process'] : ['in-process', 'services']) : [values.form];
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
