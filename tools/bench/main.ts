/**
 * Measures API servers with the same workload, in turn, in several rounds. Prints a Markdown table with the median of each figure and its
 * ratio to the first target. A target is a running server, or a file that says how to start a server (a new one for every round, never two
 * at once).
 *
 *   npm run bench -- --target tools/bench/servers/kube-apiserver.json --target tools/bench/servers/apichain.json
 *   npm run bench -- --target name=A,url=https://127.0.0.1:6443,ca=..,cert=..,key=..,pids=1:2 [--rounds 3] [--short] [--startup]
 */
import { flags, runCommand } from '../command/command.ts';
import { Figures, format, markdownTable } from '../command/table.ts';
import { Target, targetsOf, type TargetOptions } from './target.ts';
import { fullScale, measure, measureStart, shortScale, type Measurement } from './workloads.ts';

const usage = `usage: npm run bench -- --target TARGET [--target TARGET ...] [options]

A TARGET is a file that says how to start a server (tools/bench/servers), or one that runs:
name=A,url=URL,ca=FILE,cert=FILE,key=FILE[,pids=1:2]

  --rounds N     how often each server is measured (3)
  --short        fewer objects and requests
  --startup      only the start and idle memory
  --etcd FILE    the etcd that servers are started with (etcd)
  --watchers N   how many watches there are`;

const options = flags({
  target: { type: 'string', multiple: true },
  rounds: { type: 'string', default: '3' },
  short: { type: 'boolean', default: false },
  startup: { type: 'boolean', default: false },
  etcd: { type: 'string', default: 'etcd' },
  watchers: { type: 'string' },
});

function parse(args: readonly string[]) {
  const values = options(args);
  return { ...values, targets: targetsOf(values.target) };
}

async function bench(values: ReturnType<typeof parse>): Promise<void> {
  const base = values.short ? shortScale : fullScale;
  const scale = { ...base, ...(values.watchers === undefined ? {} : { watchers: Number(values.watchers) }) };
  const measured = new Map<string, Measurement>();
  const figures = new Figures();
  const measureTarget = async (description: TargetOptions) => {
    const target = await Target.open(description, scale.watchers + scale.inFlight, values.etcd);
    async function* measurements(): AsyncGenerator<Measurement> {
      yield* measureStart(target);
      if (!values.startup) yield* measure(target, scale);
    }
    try {
      for await (const measurement of measurements()) {
        const { workload, value, unit } = measurement;
        console.error(`  ${workload}: ${format(value)} ${unit}`);
        measured.set(workload, measurement);
        figures.add(workload, description.name, value);
      }
    } finally {
      await target.close();
    }
  };
  for (let round = 1; round <= Number(values.rounds); round++)
    for (const description of values.targets) {
      console.error(`round ${round} of ${values.rounds}: ${description.name}`);
      await measureTarget(description);
    }
  const names = values.targets.map(({ name }) => name);
  const [first = ''] = names;
  const rows = [...measured].map(([workload, { unit, lowerIsBetter }]) => {
    const cells = names.flatMap((name, i) => {
      const value = figures.median(workload, name);
      return i === 0 ? [format(value)] : [format(value), `${(value / figures.median(workload, first)).toFixed(2)}x`];
    });
    return [`${workload}${lowerIsBetter === true ? ' (less is better)' : ''}`, unit, ...cells];
  });
  const head = names.flatMap((name, i) => (i === 0 ? [name] : [name, `${name} / ${first}`]));
  console.log(markdownTable(['workload', 'unit', ...head], rows, 2));
}

await runCommand({ name: 'bench', usage, parse, run: bench, failure: 1 });
