/**
 * Measures API servers with the same workload, in turn, in several rounds. Prints a Markdown table with the median of each figure and its
 * ratio to the first target. A target is a running server, or a file that says how to start a server (a new one for every round, never two
 * at once).
 *
 *   npm run bench -- --target tools/bench/servers/kube-apiserver.json --target tools/bench/servers/apichain.json
 *   npm run bench -- --target name=A,url=https://127.0.0.1:6443,ca=..,cert=..,key=..,pids=1:2 [--rounds 3] [--short] [--startup]
 */
import { parseArgs } from 'node:util';
import { errorMessage } from '@apichain/meta';
import { Target, type TargetOptions, parseTarget } from './target.ts';
import { fullScale, measure, measureStart, shortScale, type Measurement } from './workloads.ts';

const usage = `usage: npm run bench -- --target TARGET [--target TARGET ...] [options]

A TARGET is a file that says how to start a server (tools/bench/servers), or one that runs:
name=A,url=URL,ca=FILE,cert=FILE,key=FILE[,pids=1:2]

  --rounds N     how often each server is measured (3)
  --short        fewer objects and requests
  --startup      only the start and idle memory
  --etcd FILE    the etcd that servers are started with (etcd)
  --watchers N   how many watches there are`;

const values = optionsOrExit();
if (values.help) {
  console.log(usage);
  process.exit(0);
}

const targets = (values.target ?? []).map((text) => parseOrExit(text));
if (targets.length === 0) {
  console.error(`name at least one server\n\n${usage}`);
  process.exit(1);
}
const base = values.short ? shortScale : fullScale;
const scale = { ...base, ...(values.watchers === undefined ? {} : { watchers: Number(values.watchers) }) };
const rounds = Number(values.rounds);

const results = new Map<string, { measurement: Measurement; byTarget: Map<string, number[]> }>();
for (let round = 1; round <= rounds; round++) {
  for (const options of targets) {
    console.error(`round ${round} of ${rounds}: ${options.name}`);
    const target = await Target.open(options, scale.watchers + scale.inFlight, values.etcd);
    try {
      for await (const measurement of measurements(target)) {
        console.error(`  ${measurement.workload}: ${format(measurement.value)} ${measurement.unit}`);
        let entry = results.get(measurement.workload);
        if (entry === undefined) results.set(measurement.workload, (entry = { measurement, byTarget: new Map() }));
        const list = entry.byTarget.get(options.name) ?? [];
        entry.byTarget.set(options.name, [...list, measurement.value]);
      }
    } finally {
      await target.close();
    }
  }
}

const names = targets.map((target) => target.name);
const [first = ''] = names;
console.log(
  `| workload | unit | ${names.map((name, i) => (i === 0 ? name : `${name} | ${name} / ${first}`)).join(' | ')} |`,
);
console.log(`|---|---|${names.map((_name, i) => (i === 0 ? '---:' : '---:|---:')).join('|')}|`);
for (const [workload, { measurement, byTarget }] of results) {
  const reference = median(byTarget.get(first) ?? []);
  const cells = names.map((name, i) => {
    const value = median(byTarget.get(name) ?? []);
    return i === 0 ? format(value) : `${format(value)} | ${(value / reference).toFixed(2)}x`;
  });
  console.log(
    `| ${workload}${measurement.lowerIsBetter === true ? ' (less is better)' : ''} | ${measurement.unit} | ${cells.join(' | ')} |`,
  );
}

async function* measurements(target: Target): AsyncGenerator<Measurement> {
  yield* measureStart(target);
  if (!values.startup) yield* measure(target, scale);
}

function optionsOrExit() {
  try {
    return parseArgs({
      options: {
        help: { type: 'boolean', short: 'h', default: false },
        target: { type: 'string', multiple: true },
        rounds: { type: 'string', default: '3' },
        short: { type: 'boolean', default: false },
        startup: { type: 'boolean', default: false },
        etcd: { type: 'string', default: 'etcd' },
        watchers: { type: 'string' },
      },
    }).values;
  } catch (error) {
    console.error(`${errorMessage(error)}\n\n${usage}`);
    process.exit(2);
  }
}

function parseOrExit(text: string): TargetOptions {
  try {
    return parseTarget(text);
  } catch (error) {
    console.error(`bench: ${errorMessage(error)}`);
    process.exit(1);
  }
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? NaN)
    : ((sorted[middle - 1] ?? NaN) + (sorted[middle] ?? NaN)) / 2;
}

function format(value: number): string {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
