/**
 * Writes the dependencies of every package into its manifest, based on the imports of its sources: other packages of the repository, and
 * packages from the registry with the version that the root manifest specifies. `--check` only prints what is out of date, and exits 1 if
 * anything is. The lockfile must have the same dependencies; npm install writes it.
 *
 *   node tools/workspace/dependencies.ts [--check]
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join } from 'node:path';

interface Manifest {
  name: string;
  version: string;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

const lockfile = 'package-lock.json';
const read = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as Manifest;
/** What the lockfile has of each folder: `npm ci` refuses one that differs from the manifests. */
const { packages: locked } = JSON.parse(readFileSync(lockfile, 'utf8')) as {
  packages: Record<string, Pick<Manifest, 'dependencies'> | undefined>;
};
const root = read('package.json');
const manifests = new Map(
  globSync('{apps,libs}/*/package.json')
    .sort()
    .map((file) => [file, read(file)] as const),
);
const versions = new Map(Object.entries({ ...root.devDependencies, ...root.dependencies }));
for (const { name, version } of manifests.values()) versions.set(name, version);

const importPattern =
  /(?:^|\n)\s*(?:import|export)\s(?:[^'";]*?\sfrom\s)?['"]([^'"]+)['"]|\bimport\(['"]([^'"]+)['"]\)/g;

function importsOf(folder: string): string[] {
  const found = new Set<string>();
  for (const file of globSync(join(folder, 'src/**/*.ts')))
    if (!/\.(test|fixture|d)\.ts$/.test(file))
      for (const match of readFileSync(file, 'utf8').matchAll(importPattern)) {
        const name = packageName(match[1] ?? match[2] ?? '');
        if (name !== undefined) found.add(name);
      }
  return [...found].sort();
}

/** The package of an import. Undefined for files and Node's modules. */
function packageName(specifier: string): string | undefined {
  if (specifier.startsWith('.') || specifier.startsWith('node:') || builtinModules.includes(specifier))
    return undefined;
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

const stale: string[] = [];

for (const [file, manifest] of manifests) {
  const names = importsOf(dirname(file)).filter((name) => name !== manifest.name);
  const dependencies = Object.fromEntries(
    names.map((name) => {
      const version = versions.get(name);
      if (version === undefined)
        throw new Error(`${dirname(file)} imports ${name}, which the root package.json does not name`);
      return [name, version];
    }),
  );
  if (JSON.stringify(locked[dirname(file)]?.dependencies ?? {}) !== JSON.stringify(dependencies))
    if (!stale.includes(lockfile)) stale.push(lockfile);
  if (JSON.stringify(manifest.dependencies ?? {}) === JSON.stringify(dependencies)) continue;
  stale.push(file);
  const { dependencies: _old, ...rest } = manifest;
  const updated = { ...rest, ...(names.length === 0 ? {} : { dependencies }) };
  if (!process.argv.includes('--check')) writeFileSync(file, `${JSON.stringify(updated, null, 2)}\n`);
}
for (const file of stale) console.log(file);
if (process.argv.includes('--check') && stale.length > 0) {
  console.error('out of date: run node tools/workspace/dependencies.ts and npm install');
  process.exitCode = 1;
}
