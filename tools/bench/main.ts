/**
 * Measures API servers with one and the same workload, in turn, several rounds, and prints a Markdown table: the median of
 * each figure and its ratio to the first target.
 *
 *   npm run bench -- --target name=A,url=https://127.0.0.1:6443,ca=..,cert=..,key=..,pids=1:2 --target name=B,... [--rounds 3] [--short]
 */
import { parseArgs } from 'node:util';
import { Target, parseTarget } from './target.ts';
import { fullScale, measure, shortScale, type Measurement } from './workloads.ts';

const { values } = parseArgs({
  options: {
    target: { type: 'string', multiple: true },
    rounds: { type: 'string', default: '3' },
    short: { type: 'boolean', default: false },
    watchers: { type: 'string' },
  },
});

const targets = (values.target ?? []).map(parseTarget);
if (targets.length === 0) {
  console.error('name at least one server: --target name=A,url=https://127.0.0.1:6443,ca=FILE,cert=FILE,key=FILE');
  process.exit(1);
}
const base = values.short ? shortScale : fullScale;
const scale = { ...base, ...(values.watchers === undefined ? {} : { watchers: Number(values.watchers) }) };
const rounds = Number(values.rounds);

const results = new Map<string, { measurement: Measurement; byTarget: Map<string, number[]> }>();
for (let round = 1; round <= rounds; round++) {
  for (const options of targets) {
    console.error(`round ${round} of ${rounds}: ${options.name}`);
    const target = new Target(options, scale.watchers + scale.inFlight);
    try {
      for await (const measurement of measure(target, scale)) {
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
