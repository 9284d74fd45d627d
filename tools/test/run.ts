/**
 * Runs the mocha suites one after the other and ends with one line, `N passed, N failed, N skipped`, summed from mocha's own
 * statistics (see reporter.ts). Arguments are passed on to mocha. Exit code 1 when a test failed or a suite did not finish.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SuiteStatistics } from './reporter.ts';

const suites = [
  { name: 'unit', config: '.mocharc.unit.json' },
  { name: 'e2e', config: '.mocharc.e2e.json' },
];

const directory = mkdtempSync(join(tmpdir(), 'apichain-test-'));
const total = { passes: 0, failures: 0, pending: 0 };
let broken = false;
try {
  for (const suite of suites) {
    const file = join(directory, `${suite.name}.json`);
    console.log(`\n== ${suite.name}`);
    const run = spawnSync(
      process.execPath,
      [
        'node_modules/mocha/bin/mocha.js',
        '--config',
        suite.config,
        '--reporter',
        'tools/test/reporter.ts',
        ...process.argv.slice(2),
      ],
      { stdio: 'inherit', env: { ...process.env, APICHAIN_TEST_STATISTICS: file } },
    );
    const statistics = readStatistics(file);
    if (statistics === undefined) {
      console.error(`${suite.name}: mocha ended with code ${run.status ?? run.signal} before its tests did`);
      broken = true;
      continue;
    }
    total.passes += statistics.passes;
    total.failures += statistics.failures;
    total.pending += statistics.pending;
    if (run.status !== 0 && statistics.failures === 0) broken = true;
  }
} finally {
  rmSync(directory, { recursive: true, force: true });
}
console.log(`\n${total.passes} passed, ${total.failures} failed, ${total.pending} skipped`);
process.exitCode = broken || total.failures > 0 ? 1 : 0;

function readStatistics(file: string): SuiteStatistics | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as SuiteStatistics;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
