/**
 * Measures clusters of simulated nodes: how many pods of Deployments become Ready in a second, how much processor time that takes, how much is used
 * when nothing changes, and memory. Clusters are started in turn, with new data.
 *
 *   node tools/bench/simulation.ts --target tools/bench/simulation/targets/apichain.json --etcd PATH
 */
import { flags, runCommand, UsageError } from '../command/command.ts';
import { Figures, format, markdownTable } from '../command/table.ts';
import { Cluster, readClusterTarget } from './simulation/cluster.ts';
import { measureSimulation, type Figure, type SimulationScale } from './simulation/measure.ts';

const usage = `usage: node tools/bench/simulation.ts --target FILE [--target FILE ...] [options]

A FILE says how to start a cluster (tools/bench/simulation/targets). That of the Go components needs KUBE_BINARIES, the folder of
kube-apiserver, kube-controller-manager and kube-scheduler.

  --nodes N        how many nodes (1000)
  --pods N         how many pods (10000)
  --deployments N  how many Deployments they belong to (100)
  --rest SECONDS   how long nothing changes (60)
  --etcd FILE      the etcd that servers are started with (etcd)`;

const options = flags({
  target: { type: 'string', multiple: true },
  nodes: { type: 'string', default: '1000' },
  pods: { type: 'string', default: '10000' },
  deployments: { type: 'string', default: '100' },
  rest: { type: 'string', default: '60' },
  etcd: { type: 'string', default: 'etcd' },
});

function parse(args: readonly string[]) {
  const { target = [], etcd, nodes, pods, deployments, rest } = options(args);
  if (target.length === 0) throw new UsageError('name at least one cluster');
  const scale: SimulationScale = {
    nodes: Number(nodes),
    pods: Number(pods),
    deployments: Number(deployments),
    restSeconds: Number(rest),
  };
  return { etcd, scale, targets: target.map(readClusterTarget) };
}

async function run({ targets, scale, etcd }: ReturnType<typeof parse>): Promise<void> {
  /** A figure of all programs is followed by that of each program that has it. */
  const figures = new Figures();
  const units = new Map<string, string>();
  for (const target of targets) {
    console.error(target.name);
    const cluster = await Cluster.start(target, scale.nodes, etcd);
    try {
      for await (const figure of measureSimulation(cluster, scale)) {
        console.error(`  ${nameOf(figure)}: ${format(figure.value)} ${figure.unit}`);
        units.set(nameOf(figure), figure.unit);
        figures.add(nameOf(figure), target.name, figure.value);
      }
    } finally {
      await cluster.stop();
    }
  }
  const names = targets.map(({ name }) => name);
  const rows = [...units].map(([figure, unit]) => [
    ...[figure, unit],
    ...names.map((name) => format(figures.median(figure, name))),
  ]);
  console.log(markdownTable(['figure', 'unit', ...names], rows, 2));
}

const nameOf = ({ figure, program }: Figure): string => (program === '' ? figure : `${figure}: ${program}`);

await runCommand({ name: 'bench', usage, parse, run, failure: 1 });
