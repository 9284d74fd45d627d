import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
}

/**
 * The license texts of the packages that modules of a bundle belong to, which their licenses require with every copy. `modules` are paths
 * below the working directory. A package without a file of its license is listed with the license that its manifest names. Throws Error
 * when a package names none either.
 */
export function licensesOf(modules: readonly string[]): string {
  const folders = new Set(modules.flatMap((path) => packageFolder.exec(path)?.[0] ?? []));
  return [...folders].sort().map(noticeOf).join('\n\n');
}

/** Matches the folder of the innermost package of a path. */
const packageFolder = /^.*\bnode_modules\/(?:@[^/]+\/)?[^/]+/;

function noticeOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  const files = readdirSync(folder).filter((file) => /^(?:licen[cs]e|notice)\b/i.test(file));
  if (files.length === 0 && license === undefined) throw new Error(`${folder} names no license`);
  const texts = files.sort().map((file) => readFileSync(join(folder, file), 'utf8').trim());
  return [`${name} ${version} (${license ?? 'see below'})`, ...texts].join('\n\n');
}
