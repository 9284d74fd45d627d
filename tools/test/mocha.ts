/**
 * Runs the tests of one project and writes mocha's counts to dist/test, where tools/test/run.ts sums them. nx stores that file with the
 * cached result. The files are named here and in no configuration: mocha runs a file twice in parallel mode when it is named twice. Further arguments are passed to mocha. Exit code 1 when a test failed or the run was not completed.
 *
 *   node tools/test/mocha.ts libs/meta [--grep PATTERN]
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { statisticsFile } from './statistics.ts';

const [, , project, ...rest] = process.argv;
if (project === undefined) throw new Error('usage: node tools/test/mocha.ts PROJECT');
const file = statisticsFile(project);
mkdirSync(dirname(file), { recursive: true });
rmSync(file, { force: true });
const config = project === 'apps/e2e' ? '.mocharc.e2e.json' : '.mocharc.json';
const args = ['--config', config, '--spec', `${project}/**/*.test.ts`, '--reporter', 'tools/test/reporter.ts', ...rest];
const { status, signal } = spawnSync(process.execPath, ['node_modules/mocha/bin/mocha.js', ...args], {
  stdio: 'inherit',
  env: { ...process.env, APICHAIN_TEST_STATISTICS: file },
});
if (!existsSync(file)) console.error(`${project}: mocha ended with ${signal ?? `code ${status}`} before its tests did`);
process.exitCode = status === 0 && existsSync(file) ? 0 : 1;
