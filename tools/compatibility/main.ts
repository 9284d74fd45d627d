/** Runs Go extension API servers behind a kube-apiserver and behind the chain, and compares what clients see. See docs/compatibility.md. */
import { writeFileSync } from 'node:fs';
import { flags, needed, runCommand } from '../command/command.ts';
import { compareTexts, figuresTable } from '../comparison/compare.ts';
import { Platform, type Programs } from './platform.ts';
import { Recording } from '../comparison/recording.ts';
import { runScenarios } from './scenarios.ts';

const usage = `usage: KUBE_APISERVER=FILE node tools/compatibility/main.ts --sample-apiserver FILE --metrics-server FILE [options]

  --server FILE        a server description; repeat for several; the first is the reference
                       (default: kube-apiserver, services and in-process of tools/compatibility/servers)
  --etcd FILE          etcd of the extension servers and of kube-apiserver (etcd)
  --scenarios REGEXP   only scenarios of such names
  --report FILE        writes what every server showed, as JSON`;

const directory = `${import.meta.dirname}/servers`;

const parse = flags({
  server: { type: 'string', multiple: true },
  etcd: { type: 'string', default: 'etcd' },
  'sample-apiserver': { type: 'string' },
  'metrics-server': { type: 'string' },
  scenarios: { type: 'string', default: '' },
  report: { type: 'string' },
});

async function run(values: ReturnType<typeof parse>): Promise<number> {
  const programs: Programs = {
    etcd: values.etcd,
    sampleApiserver: needed('sample-apiserver', values['sample-apiserver']),
    metricsServer: needed('metrics-server', values['metrics-server']),
  };
  const files =
    values.server ?? ['kube-apiserver', 'services', 'in-process'].map((name) => `${directory}/${name}.json`);
  const records = new Map<string, Recording>();
  for (const file of files) {
    const platform = await Platform.start(file, programs);
    const record = new Recording();
    records.set(platform.name, record);
    try {
      await runScenarios(platform, record, new RegExp(values.scenarios));
    } finally {
      await platform.stop();
    }
  }
  if (values.report !== undefined) writeFileSync(values.report, `${JSON.stringify(toJson(records), undefined, 2)}\n`);
  return compare(records);
}

const toJson = (records: ReadonlyMap<string, Recording>) =>
  Object.fromEntries(
    [...records].map(([name, { texts, figures }]) => [
      name,
      { texts: Object.fromEntries(texts), figures: Object.fromEntries(figures) },
    ]),
  );

/** Prints the differences to the first server, and all figures. Returns the exit code. */
function compare(records: ReadonlyMap<string, Recording>): number {
  const runs = [...records].map(([name, record]) => ({ name, ...record }));
  const [reference, ...others] = runs;
  if (reference === undefined) return 2;
  const differences = others.reduce((sum, run) => sum + compareTexts(reference, run), 0);
  console.log(`\n${figuresTable(runs)}`);
  return differences === 0 ? 0 : 1;
}

await runCommand({ name: 'compatibility', usage, parse, run });
