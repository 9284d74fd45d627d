/** Kills controllers and schedulers in the middle of rollouts, lets others take over, and looks at what became of it. See docs/controllers.md. */
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { errorMessage } from '@apichain/meta';
import { flags, needed, runCommand, UsageError } from '../command/command.ts';
import { Cluster } from './controllers/cluster.ts';
import { type Beside, type CoreFiles, type Managers, startManagers } from './controllers/components.ts';
import { startKubelets, untilNodesAreReady } from './controllers/core-controllers.ts';
import { startOwnSimulation } from './controllers/own-components.ts';
import type { Program } from './controllers/program.ts';
import { changedLines } from '../comparison/compare.ts';
import { Rollout } from './takeovers/rollout.ts';

const usage = `usage: KUBE_APISERVER=FILE node tools/compatibility/takeovers.ts --kube-controller-manager FILE --kube-scheduler FILE [options]

  Kills kube-controller-manager and kube-scheduler, or the controllers and the scheduler of this project, with SIGKILL in the middle of a rolling update, two
  Jobs, the ordered start of a StatefulSet and a queue of 200 pods. The others, which wait for the Lease, take over; or the same are started again.

  --nodes NODES        kubelets (fake ones), or simulated-nodes, which are killed and started again as well (kubelets)
  --takeovers REGEXP   only these of go-go, go-apichain, apichain-go, apichain-apichain
  --server FILE        a server description; repeat for several (default: in-process of tools/compatibility/controllers/servers)
  --etcd FILE          (etcd)
  --out DIR            logs (a new folder for temporary files)`;

const parse = flags({
  server: { type: 'string', multiple: true },
  etcd: { type: 'string', default: 'etcd' },
  out: { type: 'string' },
  nodes: { type: 'string', default: 'kubelets' },
  takeovers: { type: 'string', default: '' },
  'kube-controller-manager': { type: 'string' },
  'kube-scheduler': { type: 'string' },
});

const sides = ['go', 'apichain'] as const;
const superviseMs = 500;

interface Outcome {
  readonly problems: readonly string[];
  readonly text: string;
}

async function run(values: ReturnType<typeof parse>): Promise<number> {
  const files = {
    controllerManager: needed('kube-controller-manager', values['kube-controller-manager']),
    scheduler: needed('kube-scheduler', values['kube-scheduler']),
  };
  if (values.nodes !== 'kubelets' && values.nodes !== 'simulated-nodes')
    throw new UsageError(`--nodes: ${JSON.stringify(values.nodes)} is neither kubelets nor simulated-nodes`);
  const { nodes } = values;
  const out = values.out === undefined ? mkdtempSync(join(tmpdir(), 'apichain-takeovers-')) : resolve(values.out);
  mkdirSync(out, { recursive: true });
  const servers = values.server ?? [`${import.meta.dirname}/controllers/servers/in-process.json`];
  const wanted = new RegExp(values.takeovers);
  const pairs = sides
    .flatMap((first) => sides.map((second) => ({ first, second, name: `${first}-${second}` })))
    .filter(({ name }) => wanted.test(name));
  let reference: readonly [string, string] | undefined;
  let wrong = 0;
  for (const server of servers)
    for (const { first, second, name } of pairs) {
      const cluster = await Cluster.start(server, values.etcd, out, name);
      const { problems, text } = await takeOver(cluster, first, second, nodes, files)
        .catch((error: unknown) => ({ problems: [errorMessage(error)], text: undefined }))
        .finally(() => cluster.stop());
      if (text !== undefined) reference ??= [cluster.name, text];
      const isDifferent = reference !== undefined && text !== undefined && text !== reference[1];
      const lines = [
        ...problems,
        ...(reference !== undefined && isDifferent ? [changedLines(reference, [cluster.name, text])] : []),
      ];
      console.log([`${cluster.name}: ${lines.length === 0 ? 'ok' : 'WRONG'}`, ...lines].join('\n'));
      wrong += lines.length === 0 ? 0 : 1;
    }
  console.log(`${servers.length * pairs.length} takeovers, ${wrong} with a wrong or different end; logs: ${out}`);
  return wrong === 0 ? 0 : 1;
}

/** One rollout, in whose middle the first are killed. With `first` = `second` they are started again, otherwise the second have waited for the Lease. */
async function takeOver(
  cluster: Cluster,
  first: Beside['controllers'],
  second: Beside['controllers'],
  nodes: Beside['nodes'],
  files: CoreFiles,
): Promise<Outcome> {
  const stops: (() => Promise<void>)[] = [];
  // One that loses its Lease on a busy machine ends by itself. A kubelet would start it again.
  const supervised = new Set<Program>();
  const supervision = setInterval(() => supervised.forEach((program) => program.startAgain()), superviseMs);
  const start = async (whose: Beside['controllers']): Promise<Managers> => {
    const managers = await startManagers(cluster, whose, files);
    for (const program of Object.values(managers)) {
      supervised.add(program);
      stops.push(() => program.stop());
    }
    return managers;
  };
  try {
    const leading = await start(first);
    const simulated =
      nodes === 'kubelets' ? undefined : await startOwnSimulation(cluster, { scheduler: false, nodes: true }, 'nodes');
    if (simulated === undefined) for (const kubelet of await startKubelets(cluster)) stops.push(() => kubelet.stop());
    else {
      supervised.add(simulated);
      stops.push(() => simulated.stop());
      await untilNodesAreReady(cluster);
    }
    const rollout = new Rollout(cluster);
    await rollout.prepare();
    if (first !== second) await start(second);
    await rollout.begin();
    const { filled } = await rollout.fillQueue();
    const killed = [...Object.values(leading), ...(simulated === undefined ? [] : [simulated])];
    for (const program of killed) supervised.delete(program);
    await Promise.all(killed.map((program) => program.kill()));
    const bound = rollout.history.bound('queue');
    await filled;
    for (const program of first === second ? killed : killed.slice(2)) supervised.add(program);
    const begun = performance.now();
    await rollout.finish();
    const seconds = ((performance.now() - begun) / 1_000).toFixed(1);
    console.error(`${cluster.name}: killed when ${bound} pods of the queue had a node; complete ${seconds} s later`);
    return await rollout.judge();
  } finally {
    clearInterval(supervision);
    for (const stop of stops.toReversed()) await stop();
  }
}

await runCommand({ name: 'takeovers', usage, parse, run });
