import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { isRecord } from '@apichain/meta';
import { packageVersion } from '../version.ts';

/**
 * The version of apichain for the package.json of a project in `folder`: the tarball from which npm has installed the package that runs, as
 * `file:` and a path, or else a range with the version of that package. `module` is a file of the package.
 */
export function dependencyFor(folder: string, module = import.meta.filename): string {
  const tarball = tarballOf(module);
  return tarball === undefined ? `^${packageVersion()}` : `file:${relative(resolve(folder), tarball)}`;
}

/** The tarball of an installed package. npm notes where packages come from in a file beside them. */
function tarballOf(module: string): string | undefined {
  const installed = /^(?<packages>.*\/node_modules)\/apichain\//.exec(realpathSync(module))?.groups?.['packages'];
  if (installed === undefined) return undefined;
  const file = join(installed, '.package-lock.json');
  if (!existsSync(file)) return undefined;
  const lock: unknown = JSON.parse(readFileSync(file, 'utf8'));
  const packages = isRecord(lock) && isRecord(lock['packages']) ? lock['packages'] : {};
  const entry = packages['node_modules/apichain'];
  const resolved = isRecord(entry) ? entry['resolved'] : undefined;
  if (typeof resolved !== 'string' || !resolved.startsWith('file:')) return undefined;
  const path = resolve(dirname(installed), resolved.slice('file:'.length));
  return existsSync(path) ? path : undefined;
}
