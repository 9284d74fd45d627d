/**
 * Measures clusters of simulated nodes: how many pods of Deployments become Ready in a second, how much processor time that takes, how much is used
 * when nothing changes, and memory. Clusters are started in turn, with new data.
 *
 *   node tools/bench/simulation.ts --target tools/bench/simulation/targets/apichain.json --etcd PATH
 */
import { parseArgs } from 'node:util';
import { errorMessage } from '@apichain/meta';
import { Cluster, readClusterTarget, type ClusterTarget } from './simulation/cluster.ts';
import { measureSimulation, type Figure, type SimulationScale } from './simulation/measure.ts';

const usage = `usage: node tools/bench/simulation.ts --target FILE [--target FILE ...] [options]

A FILE says how to start a cluster (tools/bench/simulation/targets). That of the Go components needs KUBE_BINARIES, the folder of
kube-apiserver, kube-controller-manager and kube-scheduler.

  --nodes N        how many nodes (1000)
  --pods N         how many pods (10000)
  --deployments N  how many Deployments they belong to (100)
  --rest SECONDS   how long nothing changes (60)
  --etcd FILE      the etcd that servers are started with (etcd)`;

const values = optionsOrExit();
if (values.help) {
  console.log(usage);
  process.exit(0);
}
const targets = (values.target ?? []).map(targetOrExit);
if (targets.length === 0) {
  console.error(`name at least one cluster\n\n${usage}`);
  process.exit(1);
}
const scale: SimulationScale = {
  nodes: Number(values.nodes),
  pods: Number(values.pods),
  deployments: Number(values.deployments),
  restSeconds: Number(values.rest),
};

/** The rows of the table: a figure of all programs, followed by that of each program that has it. */
const rows = new Map<string, { readonly unit: string; readonly cells: Map<string, number> }>();
for (const target of targets) {
  console.error(target.name);
  const cluster = await Cluster.start(target, scale.nodes, values.etcd);
  try {
    for await (const figure of measureSimulation(cluster, scale)) {
      console.error(`  ${nameOf(figure)}: ${format(figure.value)} ${figure.unit}`);
      const row = rows.get(nameOf(figure)) ?? { unit: figure.unit, cells: new Map<string, number>() };
      row.cells.set(target.name, figure.value);
      rows.set(nameOf(figure), row);
    }
  } finally {
    await cluster.stop();
  }
}
const names = targets.map(({ name }) => name);
console.log(`| ${['figure', 'unit', ...names].join(' | ')} |`);
console.log(`| --- | --- |${' ---: |'.repeat(names.length)}`);
for (const [name, { unit, cells }] of rows) {
  const cell = (target: string) => format(cells.get(target) ?? NaN);
  console.log(`| ${[name, unit, ...names.map(cell)].join(' | ')} |`);
}

function nameOf({ figure, program }: Figure): string {
  return program === '' ? figure : `${figure}: ${program}`;
}

function format(value: number): string {
  if (Number.isNaN(value)) return '';
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(value >= 1 ? 2 : 3);
}

function optionsOrExit() {
  try {
    return parseArgs({
      options: {
        help: { type: 'boolean', short: 'h', default: false },
        target: { type: 'string', multiple: true },
        nodes: { type: 'string', default: '1000' },
        pods: { type: 'string', default: '10000' },
        deployments: { type: 'string', default: '100' },
        rest: { type: 'string', default: '60' },
        etcd: { type: 'string', default: 'etcd' },
      },
    }).values;
  } catch (error) {
    console.error(`${errorMessage(error)}\n\n${usage}`);
    process.exit(2);
  }
}

function targetOrExit(file: string): ClusterTarget {
  try {
    return readClusterTarget(file);
  } catch (error) {
    console.error(`bench: ${errorMessage(error)}`);
    process.exit(1);
  }
}
