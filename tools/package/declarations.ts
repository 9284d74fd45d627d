import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import type { Entry } from './bundle.ts';

/** Matches `from '...'`, `import '...'` and `import('...')` in a declaration file. */
const specifierPattern = /(\bfrom\s+|\bimport\s+|\bimport\()(['"])([^'"]+)\2/g;

/**
 * Writes the types of the entries into `directory`: the declarations that tsc emits for the entries and everything they refer to. Imports
 * between packages of the repository become paths. Returns the declaration file of each entry, and the names of the packages whose types
 * are used.
 */
export function declare(
  entries: readonly Entry[],
  directory: string,
): { readonly files: ReadonlyMap<string, string>; readonly packages: readonly string[] } {
  const emitted = mkdtempSync(join(tmpdir(), 'apichain-types-'));
  try {
    const modules = workspaceModules();
    emit(entries, modules, emitted);
    const packages = new Set<string>();
    const done = new Set<string>();
    const take = (source: string) => {
      const file = declarationOf(source);
      if (done.has(file)) return;
      done.add(file);
      const target = join(directory, file);
      mkdirSync(dirname(target), { recursive: true });
      const text = readFileSync(join(emitted, file), 'utf8').replace(
        specifierPattern,
        (whole, before: string, quote: string, specifier: string) => {
          const source_ = sourceOf(specifier, source, modules);
          if (source_ === undefined) {
            if (!specifier.startsWith('node:')) packages.add(packageOf(specifier));
            return whole;
          }
          take(source_);
          return `${before}${quote}${pathBetween(file, declarationOf(source_))}${quote}`;
        },
      );
      writeFileSync(target, text);
    };
    for (const { source } of entries) take(source);
    return {
      files: new Map(entries.map(({ name, source }) => [name, declarationOf(source)])),
      packages: [...packages].sort(),
    };
  } finally {
    rmSync(emitted, { recursive: true, force: true });
  }
}

function emit(entries: readonly Entry[], modules: ReadonlyMap<string, string>, directory: string): void {
  const config = {
    extends: resolve('tsconfig.base.json'),
    compilerOptions: {
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      noCheck: true,
      types: ['node'],
      typeRoots: [resolve('node_modules/@types')],
      rootDir: resolve('.'),
      outDir: directory,
      // Maps packages of the repository to their sources. tsc treats modules found in node_modules as external, even through links.
      paths: Object.fromEntries([...modules].map(([name, source]) => [name, [resolve(source)]])),
    },
    files: entries.map(({ source }) => resolve(source)),
  };
  const file = join(directory, 'tsconfig.json');
  writeFileSync(file, JSON.stringify(config));
  const { status, stdout, stderr } = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', file], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`tsc cannot declare the types:\n${stdout}${stderr}`);
}

/** `@apichain/meta` -> `libs/meta/src/index.ts`, for every export of every package of the repository. */
export function workspaceModules(): ReadonlyMap<string, string> {
  const modules = new Map<string, string>();
  for (const file of globSync('{apps,libs}/*/package.json')) {
    const { name, exports } = JSON.parse(readFileSync(file, 'utf8')) as {
      name: string;
      exports?: Record<string, string>;
    };
    for (const [path, source] of Object.entries(exports ?? {}))
      for (const part of partsOf(join(dirname(file), source)))
        modules.set(join(name, path.replace('*', part)), join(dirname(file), source.replace('*', part)));
  }
  return modules;
}

/** The values of `*` in the source of an export such as `./src/generated/*.ts`. A single '' if the source has no `*`. */
function partsOf(source: string): string[] {
  const [before = '', after] = source.split('*');
  if (after === undefined) return [''];
  return globSync(`${before}**/*${after}`).map((found) => found.slice(before.length, -after.length || undefined));
}

/** The source of an import. Undefined for an import from an external package or Node. */
function sourceOf(specifier: string, from: string, modules: ReadonlyMap<string, string>): string | undefined {
  if (!specifier.startsWith('.')) return modules.get(specifier);
  const path = join(dirname(from), specifier);
  return existsSync(path) ? path : path.replace(/\.js$/, '.ts');
}

const declarationOf = (source: string) => source.replace(/\.ts$/, '.d.ts');

function pathBetween(from: string, to: string): string {
  const path = relative(dirname(from), to).replace(/\.d\.ts$/, '.js');
  return path.startsWith('.') ? path : `./${path}`;
}

const packageOf = (specifier: string) =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
