/**
 * Generates libs/api/src/generated, the TypeScript types of the built-in kinds, from the table of types: one module per group-version,
 * `stored-kinds` and `types-by-name`; and the constants of libs/client. `--check` writes nothing, prints the files that are out of date, and exits 1 if there are any.
 *
 *   node tools/kinds/typescript.ts [--check]
 */
import { globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { apiModules, builtInKinds, storedKinds, typesByName } from './declarations.ts';

const root = join(import.meta.dirname, '../..');
const modules = 'libs/api/src/generated';
const constants = 'libs/client/src/operator/generated';

/** Every generated file, by path relative to the repository. */
export function generatedTypes(): Map<string, string> {
  const groupVersions = readdirSync(join(root, 'libs/kinds/src/generated/types')).map((file) =>
    file.replace(/\.json$/, ''),
  );
  const sorted = groupVersions.toSorted();
  const files = apiModules(sorted).set('stored-kinds.ts', storedKinds()).set('types-by-name.ts', typesByName(sorted));
  const types = [...files].map(([path, text]) => [`${modules}/${path}`, text] as const);
  return new Map([...types, [`${constants}/kinds.ts`, builtInKinds()]]);
}

/** Files that differ from the generated text, and files that are no longer generated. */
export function staleTypes(files: ReadonlyMap<string, string>): string[] {
  const present = globSync([`${modules}/**/*.ts`, `${constants}/*.ts`], { cwd: root });
  const known = new Set(present);
  const isStale = ([path, text]: [string, string]): boolean =>
    !known.has(path) || readFileSync(join(root, path), 'utf8') !== text;
  return [...[...files].filter(isStale).map(([path]) => path), ...present.filter((path) => !files.has(path))];
}

function write(files: ReadonlyMap<string, string>): void {
  for (const folder of [modules, constants]) rmSync(join(root, folder), { recursive: true, force: true });
  for (const [path, text] of files) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

if (process.argv[1] === import.meta.filename) {
  const files = generatedTypes();
  if (!process.argv.includes('--check')) write(files);
  else {
    const stale = staleTypes(files);
    for (const path of stale) console.log(path);
    if (stale.length > 0) process.exitCode = 1;
  }
}
