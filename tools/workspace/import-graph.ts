/** The imports between the source files of the repository, read without a type checker. */
import { globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import ts from 'typescript';

/** An import or re-export of a file. */
export interface Import {
  readonly specifier: string;
  /** The path from the root, if it is a file of the repository. */
  readonly target?: string;
  /** `lazy` is `import('...')`, `type` is gone at run time. */
  readonly kind: 'static' | 'lazy' | 'type';
}

/** The imports of each file, by its path from the root. */
export type ImportGraph = ReadonlyMap<string, readonly Import[]>;

/** The fields of a manifest that are used here. */
interface Manifest {
  readonly name: string;
  readonly exports?: Readonly<Record<string, string>>;
}

/** A function that finds the source file of a library's specifier, e.g. `@apichain/meta` or `@apichain/api/core/v1`. */
function libraryFiles(root: string): (specifier: string) => string | undefined {
  const files = new Map<string, string>();
  for (const file of globSync('libs/*/package.json', { cwd: root })) {
    const { name, exports = {} } = JSON.parse(readFileSync(join(root, file), 'utf8')) as Manifest;
    for (const [subpath, target] of Object.entries(exports))
      files.set(posix.join(name, subpath), posix.join(posix.dirname(file), target));
  }
  // The exports of the form `./*`.
  const folders = [...files]
    .filter(([entry]) => entry.endsWith('/*'))
    .map(([entry, file]) => [entry.slice(0, -1), file]);
  return (specifier) => {
    const [prefix = '', file] = folders.find(([start = '']) => specifier.startsWith(start)) ?? [];
    return files.get(specifier) ?? file?.replace('*', specifier.slice(prefix.length));
  };
}

/** The kind of the import whose specifier is at `position`. */
function kindOf(text: string, position: number): Import['kind'] {
  const between =
    text
      .slice(0, position)
      .split(/\b(?:import|export)\b/)
      .at(-1) ?? '';
  if (between.startsWith('(')) return 'lazy';
  return /^\s+type\b(?!\s*,|\s+from\b)/.test(between) ? 'type' : 'static';
}

/** Reads the imports of all source files below `root`. */
export function readImports(root = '.'): ImportGraph {
  const fileOf = libraryFiles(root);
  const importsOf = (file: string): Import[] => {
    const text = readFileSync(join(root, file), 'utf8');
    return ts.preProcessFile(text, true, true).importedFiles.map(({ fileName: specifier, pos }) => {
      const kind = kindOf(text, pos);
      const target = specifier.startsWith('.') ? posix.join(posix.dirname(file), specifier) : fileOf(specifier);
      return target === undefined ? { specifier, kind } : { specifier, target, kind };
    });
  };
  const files = globSync(join('{apps,libs,tools,examples,templates}', '**', '*.{ts,tsx}'), {
    cwd: root,
    exclude: (path) => ['node_modules', 'dist'].includes(posix.basename(path)),
  });
  return new Map(files.map((file) => [file, importsOf(file)]));
}
