import { runCommand } from '../command/command.ts';
import { parseStallOptions, stallsUsage, type StallOptions } from './stalls/options.ts';
import { parseOptions, usage, type FuzzOptions } from './options.ts';
import { reproducer } from './reproducer.ts';
import { run } from './run.ts';
import { Target } from './target.ts';

async function searchStalls(options: StallOptions): Promise<number> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  // A dynamic import, because the table of types is large and other runs do not need it.
  const { runStalls } = await import('./stalls/run-stalls.ts');
  const findings = await runStalls(options, (line) => console.log(line));
  return findings.length > 0 ? 1 : 0;
}

async function fuzz(options: FuzzOptions): Promise<number> {
  const { seed } = options.run;
  const { url } = options.target;
  console.log(`fuzzing ${url} with seed ${seed}`);
  const target = new Target(options.target);
  const report = await run(target, options.run);
  target.close();
  const statuses = [...report.statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status} x${count}`);
  console.log(`${report.sent} requests: ${statuses.join(', ')}`);
  console.log(`slowest: request ${report.slowest.index}, ${Math.round(report.slowest.time)} ms`);
  for (const { index, what, request } of report.findings) {
    console.log(`\nrequest ${index} of seed ${seed}: ${what}\n${reproducer(url, request)}`);
    console.log(`# or: npm run fuzz -- --seed ${seed} --only ${index} --namespace ${options.run.namespace} ...`);
  }
  if (report.sent === 0) console.error('nothing was sent');
  if (report.findings.length > 0) console.error(`\n${report.findings.length} findings with seed ${seed}`);
  return report.findings.length > 0 || report.sent === 0 ? 1 : 0;
}

const name = 'fuzz';
if (process.argv.includes('--stalls'))
  await runCommand({ name, usage: stallsUsage, parse: parseStallOptions, run: searchStalls });
else await runCommand({ name, usage: `${usage}\n\n${stallsUsage}`, parse: parseOptions, run: fuzz });
