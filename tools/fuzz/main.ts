import { parseOptions, usage, UsageError, type FuzzOptions } from './options.ts';
import { reproducer } from './reproducer.ts';
import { run } from './run.ts';
import { Target } from './target.ts';

function optionsOrUsage(): FuzzOptions | undefined {
  try {
    return parseOptions(process.argv.slice(2));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    console.error(error instanceof UsageError || error instanceof TypeError ? `${message}\n\n${usage}` : message);
    return undefined;
  }
}

async function main(): Promise<number> {
  if (process.argv.includes('--help')) {
    console.log(usage);
    return 0;
  }
  const options = optionsOrUsage();
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
