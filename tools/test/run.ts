/**
 * Runs the tests of all projects through nx, which uses cached results where nothing changed. Three run at a time on two cores, because many of
 * them wait. The end-to-end tests run alone afterwards, three files at a time, because they use the whole machine. The last line is
 * `N passed, N failed, N skipped`, summed over all projects. Exit code 1 when a test failed or a run was not completed.
 *
 *   node tools/test/run.ts [--unit] [MOCHA_ARGUMENTS]
 */
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { statisticsDirectory, sumOfStatistics } from './statistics.ts';

const endToEnd = '@apichain/e2e';
const isUnitOnly = process.argv.includes('--unit');
const rest = process.argv.slice(2).filter((arg) => arg !== '--unit');
const mochaArguments = rest.length === 0 ? [] : ['--', ...rest];

// Removes old counts, so that every count comes from this run or from a cached result that nx restores.
rmSync(statisticsDirectory, { recursive: true, force: true });
const runs = [
  ['run-many', '--target=test', '--parallel=3', `--exclude=${endToEnd}`, ...mochaArguments],
  ...(isUnitOnly ? [] : [['run', `${endToEnd}:test`, ...mochaArguments]]),
];
let hasFailed = false;
for (const args of runs) {
  const { status } = spawnSync(process.execPath, ['node_modules/nx/dist/bin/nx.js', ...args], { stdio: 'inherit' });
  hasFailed ||= status !== 0;
}
const { passes, failures, pending } = sumOfStatistics(statisticsDirectory);
console.log(`\n${passes} passed, ${failures} failed, ${pending} skipped`);
process.exitCode = hasFailed || failures > 0 ? 1 : 0;
