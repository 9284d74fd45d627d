import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { keepCompiledCode } from './compile-cache.ts';
import { areSourcesAsNoted, sourcesFile } from './sources.ts';

/**
 * Runs the command line of the repository: the bundled programs (`npm run build`) if they are up to date with the sources, otherwise the
 * sources. With `prepares`, which `npm start` sets, missing or outdated programs are bundled first.
 */
export async function runCommand(repository: string, { prepares = false } = {}): Promise<void> {
  keepCompiledCode();
  const isPrepared = arePrepared(repository) || (prepares && prepare(repository));
  const program = isPrepared
    ? join(preparedDirectory(repository), 'lib/apichain.js')
    : join(repository, 'apps/apichain/src/program.ts');
  await import(pathToFileURL(program).href);
}

/** The folder of the bundled programs. It contains `lib` and the file that records their sources. */
export function preparedDirectory(repository: string): string {
  return join(repository, 'dist/apps/apichain');
}

function arePrepared(repository: string): boolean {
  const file = join(preparedDirectory(repository), sourcesFile);
  return existsSync(file) && areSourcesAsNoted(repository, file);
}

/** Bundles the programs. If that fails, returns false and prints the reason: development packages are missing, or the folder is not writable. */
function prepare(repository: string): boolean {
  console.error('apichain: preparing the programs, once for these sources; later starts are quicker');
  const { status, stderr } = spawnSync(process.execPath, ['tools/package/build-app.ts', 'apps/apichain'], {
    cwd: repository,
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
  });
  if (status === 0) return true;
  const reason = stderr.split('\n').find((line) => /Error/.test(line)) ?? 'it was interrupted';
  console.error(`apichain: the programs cannot be prepared, so the sources run: ${reason}`);
  return false;
}
