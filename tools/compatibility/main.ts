/** Runs Go extension API servers behind a kube-apiserver and behind the chain, and compares what clients see. See docs/compatibility.md. */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { errorMessage } from '@apichain/meta';
import { Platform, type Programs } from './platform.ts';
import { Record } from './record.ts';
import { runScenarios } from './scenarios.ts';

const usage = `usage: KUBE_APISERVER=FILE node tools/compatibility/main.ts --sample-apiserver FILE --metrics-server FILE [options]

  --server FILE        a server description; repeat for several; the first is the reference
                       (default: kube-apiserver, services and in-process of tools/compatibility/servers)
  --etcd FILE          etcd of the extension servers and of kube-apiserver (etcd)
  --scenarios REGEXP   only scenarios of such names
  --report FILE        writes what every server showed, as JSON`;

const directory = `${import.meta.dirname}/servers`;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      server: { type: 'string', multiple: true },
      etcd: { type: 'string', default: 'etcd' },
      'sample-apiserver': { type: 'string' },
      'metrics-server': { type: 'string' },
      scenarios: { type: 'string', default: '' },
      report: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  const { 'sample-apiserver': sampleApiserver, 'metrics-server': metricsServer } = values;
  if (values.help === true || sampleApiserver === undefined || metricsServer === undefined) {
    console.log(usage);
    return values.help === true ? 0 : 2;
  }
  const programs: Programs = { etcd: values.etcd, sampleApiserver, metricsServer };
  const files =
    values.server ?? ['kube-apiserver', 'services', 'in-process'].map((name) => `${directory}/${name}.json`);
  const records = new Map<string, Record>();
  for (const file of files) {
    const platform = await Platform.start(file, programs);
    const record = new Record();
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

const toJson = (records: ReadonlyMap<string, Record>) =>
  Object.fromEntries(
    [...records].map(([name, { texts, figures }]) => [
      name,
      { texts: Object.fromEntries(texts), figures: Object.fromEntries(figures) },
    ]),
  );

/** Prints the differences to the first server, and all figures. Returns the exit code. */
function compare(records: ReadonlyMap<string, Record>): number {
  const [[referenceName, reference] = [undefined, undefined], ...others] = records;
  if (reference === undefined) return 2;
  let differences = 0;
  for (const [name, { texts }] of others) {
    for (const step of new Set([...reference.texts.keys(), ...texts.keys()])) {
      const [expected, actual] = [reference.texts.get(step), texts.get(step)];
      if (expected === actual) continue;
      differences += 1;
      console.log(`\n--- ${step}\n${referenceName}:\n${expected ?? 'nothing'}\n${name}:\n${actual ?? 'nothing'}`);
    }
    console.log(`\n${name}: ${texts.size} steps compared with ${referenceName}`);
  }
  const names = new Set([...records.values()].flatMap(({ figures }) => [...figures.keys()]));
  for (const figure of names)
    console.log([figure, ...[...records].map(([name, { figures }]) => `${name} ${figures.get(figure)}`)].join(' | '));
  return differences === 0 ? 0 : 1;
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(errorMessage(error));
  process.exitCode = 2;
}
