/**
 * Stands in for `npm ci` and `npm install` in the tests of the documentation. It links the packages of a folder instead of downloading them, and
 * fails when one that is named, on the command line or in package.json, is not there in that version.
 *
 *   node npm-install.ts NODE_MODULES ci|install [--save-dev] [PACKAGE ...]
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';

interface Manifest {
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

const [, , modules = '', command = '', ...rest] = process.argv;
const read = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as Manifest;

const named = rest.filter((word) => !word.startsWith('-')).map(packageOf);
if (command === 'ci') {
  assert.ok(existsSync('package-lock.json'), 'there is no package-lock.json');
  assert.ok(existsSync('node_modules'), 'there is no node_modules');
} else {
  const { dependencies, devDependencies } = read('package.json');
  const wanted = named.length > 0 ? named : Object.entries({ ...dependencies, ...devDependencies });
  for (const [name, version] of wanted) {
    const { version: present } = read(join(modules, name, 'package.json'));
    assert.ok(satisfies(present, version), `${name}@${version} is wanted, ${present} is there`);
  }
  if (!existsSync('node_modules')) symlinkSync(modules, 'node_modules');
}

/** The name and version that `name@version` or the path of a tarball asks for. */
function packageOf(word: string): readonly [name: string, version: string] {
  if (!word.endsWith('.tgz')) {
    const [, name = '', version = ''] = /^(@?[^@]+)(?:@(.+))?$/.exec(word) ?? [];
    return [name, version];
  }
  assert.ok(existsSync(word), `there is no ${word}`);
  const [, name = '', version = ''] = /^(.+)-(\d.*)\.tgz$/.exec(basename(word)) ?? [];
  return [name, version];
}

/** `24`, `^24.1` and `~24.1.0` are satisfied by versions that begin with their first number. */
function satisfies(present: string, wanted: string): boolean {
  const exact = /^\d+\.\d+\.\d+/.test(wanted);
  const first = /\d+/.exec(wanted)?.[0] ?? '';
  return exact ? present === wanted : `${present}.`.startsWith(first === '' ? '' : `${first}.`);
}
