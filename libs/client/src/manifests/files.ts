import { globSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';

const extensions = '*.{yaml,yml,json}';
/** The kustomization file of a folder is no object of the API, and hidden files are those of editors. */
const noManifest = /^(?:kustomization\.ya?ml$|\.)/;

/**
 * The files of a file, a folder or a glob pattern, sorted. In a folder they are those that end in .yaml, .yml or .json, with `recursive` also in the
 * folders below. Empty when there are none. Throws Node's error for what cannot be read.
 */
export function manifestFiles(pattern: string, { recursive = false } = {}): string[] {
  const info = statSync(pattern, { throwIfNoEntry: false });
  if (info?.isFile() === true) return [pattern];
  if (info?.isDirectory() !== true) return globSync(pattern).sort();
  const found = globSync(recursive ? `**/${extensions}` : extensions, { cwd: pattern }).sort();
  return found.map((file) => join(pattern, file)).filter((file) => !noManifest.test(basename(file)));
}
