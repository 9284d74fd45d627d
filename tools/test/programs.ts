/**
 * The programs that tests run and npm does not install. On Debian, root installs the missing ones:
 *
 *   node tools/test/programs.ts
 *
 * prints what is still missing. Exit code 1 when that is so and CI is set.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';

/** Debian's package of each program. */
const packages: Readonly<Record<string, string>> = {
  etcd: 'etcd-server',
  etcdctl: 'etcd-client',
  kubectl: 'kubernetes-client',
  git: 'git',
  openssl: 'openssl',
  chromium: 'chromium',
};

/** With this variable set to `no`, nothing is installed. */
const installVariable = 'APICHAIN_TEST_INSTALL';

/** The path of a program; undefined when it is not on the PATH. */
export function pathOf(program: string): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.map((folder) => join(folder, program)).find((file) => existsSync(file));
}

/** The names of the programs that are not on the PATH. */
export function absentPrograms(): readonly string[] {
  return Object.keys(packages).filter((program) => pathOf(program) === undefined);
}

/** Installs the missing programs, where that is possible: root, with apt-get. Returns the names of those that are still missing. */
export function installPrograms(): readonly string[] {
  const absent = absentPrograms();
  const mayInstall = process.getuid?.() === 0 && pathOf('apt-get') !== undefined;
  if (absent.length === 0 || !mayInstall || process.env[installVariable] === 'no') return absent;
  console.log(`Installing ${absent.join(', ')} with apt-get`);
  // A package may start a system service, which the tests do not need: they start their own etcd.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  const wanted = absent.flatMap((program) => packages[program] ?? []);
  for (const args of [
    ['update', '-qq'],
    ['install', '-y', '-qq', '--no-install-recommends', ...wanted],
  ]) {
    const { status } = spawnSync('apt-get', args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
    if (status !== 0) console.error(`apt-get ${args.join(' ')} ended with code ${status}`);
  }
  return absentPrograms();
}

const relativeImport = /from '(\.{1,2}\/[^']+)'/g;

/** A program by its name as a text, in a file that starts programs, or what stands for it: `apichain up`, which the end-to-end tests start through this file, runs etcd. */
function namesIn(file: string, text: string): readonly string[] {
  if (!text.includes("'node:child_process'")) return [];
  const names = Object.keys(packages).filter((program) => text.includes(`'${program}'`));
  return file.endsWith('/apps/e2e/src/chain.ts') ? [...names, 'etcd'] : names;
}

/**
 * Which of these programs a file of tests may need: those whose names stand in it or in a file that it imports. A file that could do without one of
 * them in some of its tests is counted too.
 */
export function neededBy(testFile: string, programs: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  const named = new Set<string>();
  const visit = (file: string): void => {
    if (seen.has(file) || !existsSync(file)) return;
    seen.add(file);
    const text = readFileSync(file, 'utf8');
    for (const name of namesIn(file, text)) named.add(name);
    for (const [, path = ''] of text.matchAll(relativeImport)) visit(resolve(dirname(file), path));
  };
  visit(resolve(testFile));
  return programs.filter((program) => named.has(program));
}

if (import.meta.main) {
  const absent = installPrograms();
  if (absent.length > 0) console.log(`missing: ${absent.join(', ')}`);
  process.exitCode = absent.length > 0 && process.env['CI'] !== undefined ? 1 : 0;
}
