import { chmodSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { repository } from '../chain.ts';

/** Where the commands of a page are run. */
export interface Place {
  /** The folder in which the first block begins. */
  readonly folder: string;
  readonly environment: NodeJS.ProcessEnv;
}

interface PlaceOptions {
  /** An empty folder, which becomes the home directory, so that nothing of the user is read or changed. */
  readonly scratch: string;
  /** The port of `apichain up` without a port: tests that run at the same time would find the same next free port. */
  readonly port: string;
  /** The port of `apichain open`. */
  readonly openPort: string;
  /** The node_modules with the unpacked package (`unpackedPackage`). */
  readonly modules: string;
  /** The tarball of the package, for a page that installs it from a file. */
  readonly tarball: string;
}

/** A project in which the package is installed: for the pages of `docs`. */
export function project(options: PlaceOptions): Place {
  const folder = join(options.scratch, 'project');
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  symlinkSync(options.modules, join(folder, 'node_modules'));
  return { folder, environment: environment(options, folder) };
}

/** Not in a fresh checkout, or not to be written to. */
const notCheckedOut = new Set(['.git', '.nx', '.apichain', 'dist', 'tmp']);

/** A checkout of the repository, with its packages and without data: for the README. Its files are links. */
export function checkout(options: PlaceOptions): Place {
  const folder = join(options.scratch, 'checkout');
  mkdirSync(folder);
  for (const name of readdirSync(repository))
    if (!notCheckedOut.has(name)) symlinkSync(join(repository, name), join(folder, name));
  return { folder, environment: environment(options, folder) };
}

/**
 * What stands in for the programs of the same names: `npm ci` and `npm install` take packages that are there (`npm-install.ts`), `npx` looks for
 * no package in a registry, and a chain that is started without a port gets one.
 */
function environment({ scratch, port, openPort, modules, tarball }: PlaceOptions, folder: string): NodeJS.ProcessEnv {
  const {
    KUBECONFIG: _kubeconfig,
    XDG_DATA_HOME: _data,
    NODE_TEST_CONTEXT: _test,
    FORCE_COLOR: _color,
    ...env
  } = process.env;
  const bin = join(scratch, 'bin');
  const outside = [dirname(process.execPath), env['PATH']].join(delimiter);
  const install = `exec "${process.execPath}" "${join(import.meta.dirname, 'npm-install.ts')}" "${modules}"`;
  const temporary = join(scratch, 'tmp');
  for (const directory of [bin, temporary]) mkdirSync(directory);
  script(
    join(bin, 'apichain'),
    `case "$1" in
  up) shift; set -- up --secure-port=${port} "$@" ;;
  open) shift; set -- open --secure-port=${openPort} "$@" ;;
esac
exec "${process.execPath}" "${join(modules, 'apichain/bin/apichain.js')}" "$@"`,
  );
  script(join(bin, 'npx'), `PATH="${bin}:$PWD/node_modules/.bin:$PATH" exec "$@"`);
  script(
    join(bin, 'npm'),
    `case "$1" in ci|install) ${install} "$@" ;; esac
[ "$1" = start ] && [ "$PWD" = "${folder}" ] && [ -e apps/apichain/start.js ] && {
  shift; [ "$1" = -- ] && shift; set -- start -- --secure-port=${port} "$@"
}
exec "${programIn(outside, 'npm')}" "$@"`,
  );
  const own = { HOME: scratch, TMPDIR: temporary, NO_COLOR: '1', APICHAIN_TARBALL: tarball };
  return { ...env, ...own, PATH: [bin, outside].join(delimiter) };
}

/** The path of a program. Throws Error when it is in no folder of PATH. */
function programIn(path: string, name: string): string {
  const found = path.split(delimiter).map((directory) => join(directory, name)).find((file) => existsSync(file));
  if (found === undefined) throw new Error(`${name} is not on the PATH`);
  return found;
}

function script(file: string, text: string): void {
  writeFileSync(file, `#!/bin/sh\n${text}\n`);
  chmodSync(file, 0o755);
}
