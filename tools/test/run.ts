/**
 * Runs the tests of all projects through nx, which uses cached results where nothing changed. Three run at a time on two cores, because many of
 * them wait. nx begins with those on which most other targets depend: the targets `long-tests` and `longest-tests` of tools/project.json do nothing
 * but make the projects that take longest the first, so that none of them is left alone at the end. The end-to-end tests run alone afterwards,
 * four files at a time, because they use the whole machine. Programs that are missing are installed where that is possible; files of tests that
 * need one which is still missing are not run, and named in one line, except in CI, where a missing program is a failure. The last line is
 * `N passed, N failed, N skipped`, summed over all projects. Exit code 1 when a test failed or a run was not completed.
 *
 *   node tools/test/run.ts [--unit] [MOCHA_ARGUMENTS]
 */
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { installPrograms } from './programs.ts';
import { statisticsDirectory, sumOfStatistics } from './statistics.ts';

const endToEnd = '@apichain/e2e';
const isUnitOnly = process.argv.includes('--unit');
const rest = process.argv.slice(2).filter((arg) => arg !== '--unit');
const mochaArguments = rest.length === 0 ? [] : ['--', ...rest];

// Removes old counts, so that every count comes from this run or from a cached result that nx restores.
rmSync(statisticsDirectory, { recursive: true, force: true });
const runs = [
  ['run-many', '--targets=test,long-tests', '--parallel=3', `--exclude=${endToEnd}`, ...mochaArguments],
  ...(isUnitOnly ? [] : [['run', `${endToEnd}:test`, ...mochaArguments]]),
];
const absent = installPrograms();
let hasFailed = absent.length > 0 && process.env['CI'] !== undefined;
if (absent.length > 0) console.log(`This machine has no ${absent.join(', ')}.`);
const began = performance.now();
for (const [at, args] of runs.entries()) {
  const what = at === 0 ? 'unit tests: about 3 minutes' : 'end-to-end tests: about 10 minutes';
  const minutes = ((performance.now() - began) / 60_000).toFixed(1);
  console.log(`\n[${at + 1}/${runs.length}] ${what} on two cores; ${minutes} minutes so far`);
  const { status } = spawnSync(process.execPath, ['node_modules/nx/dist/bin/nx.js', ...args], { stdio: 'inherit' });
  hasFailed ||= status !== 0;
}
const { passes, failures, pending, notRun } = sumOfStatistics(statisticsDirectory);
if (notRun.length > 0) console.log(`\nnot run, because programs are missing: ${notRun.join('; ')}`);
console.log(`\n${passes} passed, ${failures} failed, ${pending} skipped`);
process.exitCode = hasFailed || failures > 0 ? 1 : 0;
