/**
 * Measures API servers with one and the same workload, in turn, several rounds, and prints a Markdown table: the median of
 * each figure and its ratio to the first target. A target is a server that runs already, or a file that says how to start one
 * (fresh for every round, never two at once).
 *
 *   npm run bench -- --target tools/bench/servers/kube-apiserver.json --target tools/bench/servers/apichain.json
 *   npm run bench -- --target name=A,url=https://127.0.0.1:6443,ca=..,cert=..,key=..,pids=1:2 [--rounds 3] [--short] [--startup]
 */
import { parseArgs } from 'node:util';
import { Target, type TargetOptions, parseTarget } from './target.ts';
import { fullScale, measure, measureStart, shortScale, type Measurement } from './workloads.ts';

const { values } = parseArgs({
  options: {
    target: { type: 'string', multiple: true },
    rounds: { type: 'string', default: '3' },
    short: { type: 'boolean', default: false },
    /** Only the start and idle memory. */
    startup: { type: 'boolean', default: false },
    etcd: { type: 'string', default: 'etcd' },
    watchers: { type: 'string' },
  },
});

const targets = (values.target ?? []).map((text) => parseOrExit(text));
if (targets.length === 0) {
  console.error('name at least one server: --target FILE.json or --target name=A,url=URL,ca=FILE,cert=FILE,key=FILE');
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

function parseOrExit(text: string): TargetOptions {
  try {
    return parseTarget(text);
  } catch (error) {
    console.error(`bench: ${(error as Error).message}`);
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
