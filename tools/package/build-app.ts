/**
 * Bundles a program of apps/ with the libraries it uses into dist/apps/NAME: `lib`, a manifest, and a lock file of the packages it imports.
 * After `npm ci --omit=dev` there, the folder runs without the repository (`node dist/apps/NAME`). The bundle of the command line also
 * contains the services, because it starts them.
 *
 *   node tools/package/build-app.ts apps/NAME
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { preparedDirectory } from '../../apps/apichain/src/prepared.ts';
import { noteSources, sourcesFile } from '../../apps/apichain/src/sources.ts';
import { bundle, type Entry } from './bundle.ts';
import { lockedPackages, type LockFile } from './locked-packages.ts';
import { programs, sampleApiServer, services } from './programs.ts';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

const [, , folder = ''] = process.argv;
const name = basename(folder);
const repository = resolve(import.meta.dirname, '../..');
process.chdir(repository);
if (name === 'apichain') {
  // The sources are recorded before the build. An edit during the build then makes the bundle outdated.
  const sources = noteSources(repository);
  await buildApp([...programs, { name: 'prepared', source: 'apps/apichain/src/prepared.ts' }]);
  writeFileSync(join(preparedDirectory(repository), sourcesFile), sources);
} else {
  const service = [...services, sampleApiServer].find((known) => known.name === name);
  if (service === undefined)
    throw new Error(`"${folder}" is no program; usage: node tools/package/build-app.ts apps/NAME`);
  // Adds the probe, with which a container checks the readiness of the service.
  await buildApp([service, { name: 'probe', source: 'apps/apichain/src/probe-program.ts' }]);
}

async function buildApp(entries: readonly Entry[]): Promise<void> {
  const directory = join('dist/apps', name);
  const root = readJson<Manifest>('package.json');
  const all = root.dependencies ?? {};
  const imported = await bundle(entries, { directory: join(directory, 'lib'), external: Object.keys(all) });
  const { version, license } = readJson<Manifest>(join(folder, 'package.json'));
  const dependencies = Object.fromEntries(Object.entries(all).filter(([dependency]) => imported.includes(dependency)));
  const manifest = { name, version, license, type: 'module', main: `lib/${name}.js`, dependencies };
  const lock = { ...lockedPackages(readJson<LockFile>('package-lock.json'), manifest), name, version };
  writeFileSync(join(directory, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  writeFileSync(join(directory, 'package-lock.json'), `${JSON.stringify(lock, null, 2)}\n`);
}

function readJson<Contents>(file: string): Contents {
  return JSON.parse(readFileSync(file, 'utf8')) as Contents;
}
