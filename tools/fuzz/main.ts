import { errorMessage } from '@apichain/meta';
import { parseStallOptions, stallsUsage, type StallOptions } from './stalls/options.ts';
import { parseOptions, usage, UsageError, type FuzzOptions } from './options.ts';
import { reproducer } from './reproducer.ts';
import { run } from './run.ts';
import { Target } from './target.ts';

function orUsage<T>(parse: () => T, text: string): T | undefined {
  try {
    return parse();
  } catch (error) {
    const message = errorMessage(error);
    console.error(error instanceof UsageError || error instanceof TypeError ? `${message}\n\n${text}` : message);
    return undefined;
  }
}

async function searchStalls(options: StallOptions): Promise<number> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  // A dynamic import, because the table of types is large and other runs do not need it.
  const { runStalls } = await import('./stalls/run-stalls.ts');
  const findings = await runStalls(options, (line) => console.log(line));
  return findings.length > 0 ? 1 : 0;
}

async function main(): Promise<number> {
  const args = process.argv.slice(2);
  if (args.includes('--help')) {
    console.log(args.includes('--stalls') ? stallsUsage : `${usage}\n\n${stallsUsage}`);
    return 0;
  }
  if (args.includes('--stalls')) {
    const stalls = orUsage(() => parseStallOptions(args), stallsUsage);
    return stalls === undefined ? 2 : searchStalls(stalls);
  }
  const options: FuzzOptions | undefined = orUsage(() => parseOptions(args), usage);
  if (options === undefined) return 2;
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

process.exitCode = await main();
