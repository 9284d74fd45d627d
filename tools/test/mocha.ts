/**
 * Runs the tests of one project and writes mocha's counts to dist/test, where tools/test/run.ts sums them. nx stores that file with the
 * cached result. The files are named here and in no configuration: mocha runs a file twice in parallel mode when it is named twice. Files that need a program
 * which this machine does not have are not run, but named; with CI set, they are run, and fail. Further arguments are passed to mocha. Exit code 1 when a test failed or the run was not completed.
 *
 *   node tools/test/mocha.ts libs/meta [--grep PATTERN]
 */
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { absentPrograms, neededBy } from './programs.ts';
import { statisticsFile, type SuiteStatistics } from './statistics.ts';

/** The end-to-end tests that take longest, by that. */
const longest = [
  'documented-readme',
  'stalls',
  'leaks',
  'documented-guides',
  'documented-commands',
  'extension-server',
  'controllers',
  'package-runners',
  'lifecycle',
  'commands',
  'site',
  'conformance',
  'etcd-members',
  'init',
  'package',
];

const [, , project, ...rest] = process.argv;
if (project === undefined) throw new Error('usage: node tools/test/mocha.ts PROJECT');
const file = statisticsFile(project);
mkdirSync(dirname(file), { recursive: true });
rmSync(file, { force: true });
const config = project === 'apps/e2e' ? '.mocharc.e2e.json' : '.mocharc.json';
const absent = process.env['CI'] === undefined ? absentPrograms() : [];
const missing = new Map(specsOf(project).map((spec) => [spec, neededBy(spec, absent)]));
const runnable = [...missing].filter(([, programs]) => programs.length === 0).map(([spec]) => spec);
const notRun = [...missing]
  .filter(([, programs]) => programs.length > 0)
  .map(([spec, programs]) => `${spec} (${programs.join(', ')})`);
/** Mocha cannot end a test that never returns to the event loop. The end-to-end tests need half of this on a slow machine that does something else, too. */
const timeLimitMs = 80 * 60_000;
/** The unit tests are some fifty processes that load the same sources. The chains of the end-to-end tests have their own cache, as for a user. */
const compileCache =
  project === 'apps/e2e' ? undefined : { NODE_COMPILE_CACHE: resolve('node_modules/.cache/apichain-tests') };
// mocha fails without a file.
if (runnable.length > 0) {
  const specs = runnable.flatMap((spec) => ['--spec', spec]);
  const args = ['--config', config, ...specs, '--reporter', 'tools/test/reporter.ts', ...rest];
  const { status, signal } = spawnSync(process.execPath, ['node_modules/mocha/bin/mocha.js', ...args], {
    stdio: 'inherit',
    timeout: timeLimitMs,
    killSignal: 'SIGKILL',
    env: { ...compileCache, ...process.env, APICHAIN_TEST_STATISTICS: file },
  });
  if (!existsSync(file))
    console.error(`${project}: mocha ended with ${signal ?? `code ${status}`} before its tests did`);
  process.exitCode = status === 0 && existsSync(file) ? 0 : 1;
}
if (notRun.length > 0) {
  const none: SuiteStatistics = { passes: 0, failures: 0, pending: 0 };
  const counted = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as SuiteStatistics) : none;
  if (runnable.length === 0 || existsSync(file)) writeFileSync(file, JSON.stringify({ ...counted, notRun }));
}

/**
 * The files of a project. mocha's processes take the end-to-end tests one after the other; the files that take longest are the first ones, so
 * that no process is left with one of them at the end. Only one of the first three needs the packed package, so nothing waits for it.
 */
function specsOf(folder: string): readonly string[] {
  const files = globSync(`${folder}/**/*.test.ts`, { exclude: ['**/node_modules/**'] }).sort();
  if (folder !== 'apps/e2e') return files;
  const order = (file: string) => {
    const place = longest.findIndex((name) => file.endsWith(`/${name}.test.ts`));
    return place < 0 ? longest.length : place;
  };
  return files.sort((a, b) => order(a) - order(b));
}
