import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { keepCompiledCode } from './compile-cache.ts';
import type { ProgramName } from './up/program.ts';

/** Runs the command line of the repository: what `npm ci` has prepared while it is current, else the sources. */
export async function runCommand(repository: string): Promise<void> {
  keepCompiledCode();
  const program = preparedProgram(repository, 'apichain') ?? join(repository, 'apps/apichain/src/program.ts');
  await import(pathToFileURL(program).href);
}

/** The folder of the bundled programs, `lib` in it, and of the stamp that says of which sources they were made. */
export function preparedDirectory(repository: string): string {
  return join(repository, 'node_modules/.cache/apichain/prepared');
}

export const stampFile = 'stamp';

/**
 * The program that `npm ci` has bundled from the sources of the repository; undefined where there is none, or when a source has changed since,
 * so that what runs is never stale.
 */
function preparedProgram(repository: string, name: ProgramName | 'apichain'): string | undefined {
  const directory = preparedDirectory(repository);
  try {
    const stamp = readFileSync(join(directory, stampFile), 'utf8');
    return stamp === stampOf(repository) ? join(directory, 'lib', `${name}.js`) : undefined;
  } catch {
    return undefined;
  }
}

/** Path, size and time of everything that a bundle is made of, a line each. Throws where this is no repository. */
export function stampOf(repository: string): string {
  const lines: string[] = [];
  const note = (path: string) => {
    const { size, mtimeMs } = statSync(join(repository, path));
    lines.push(`${path} ${size} ${mtimeMs}`);
  };
  const visit = (folder: string) => {
    for (const entry of readdirSync(join(repository, folder), { withFileTypes: true })) {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) visit(path);
      else if (!path.endsWith('.test.ts')) note(path);
    }
  };
  for (const path of ['package-lock.json', 'tools/package/bundle.ts']) note(path);
  for (const kind of ['libs', 'apps'])
    for (const name of readdirSync(join(repository, kind))) {
      note(`${kind}/${name}/package.json`);
      visit(`${kind}/${name}/src`);
    }
  return lines.sort().join('\n');
}
