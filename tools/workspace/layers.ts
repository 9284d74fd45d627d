/**
 * Which project may import which. An import that breaks a rule is a violation, also in a test, also of types alone:
 *
 * - A library imports only libraries in rows below its own.
 * - A program imports libraries only. Nothing imports a program, or a tool.
 * - A file of another project is imported by the name of its library, a file of the own project by its path.
 * - A project that loads a library when it is needed, by `import()`, imports no value from that entry statically: that would load it at the start.
 *
 * Tools, examples and templates import what they like.
 */
import { posix } from 'node:path';
import type { Import, ImportGraph } from './import-graph.ts';

/** The layers of ARCHITECTURE.md, top first. */
export const layers: readonly (readonly string[])[] = [
  ['envtest'],
  ['testing'],
  ['chain'],
  ['simulation'],
  ['backup'],
  ['server-aggregator', 'server-core', 'server-apiextensions', 'controllers', 'simulated-nodes', 'extension-server'],
  ['scheduler'],
  ['console'],
  ['kinds-registry', 'custom-resources'],
  ['kinds-validation'],
  ['kinds'],
  ['apiserver'],
  ['apiserver-options'],
  ['flowcontrol'],
  ['observability'],
  ['delegation'],
  ['audit', 'serving'],
  ['request'],
  ['admission'],
  ['authz'],
  ['authn'],
  ['client'],
  ['component-helpers'],
  ['managed-fields'],
  ['storage-encryption'],
  ['watch-cache'],
  ['storage'],
  ['etcd-client'],
  ['embedded-etcd'],
  ['etcd-api'],
  ['bbolt'],
  ['cel'],
  ['schema'],
  ['scheme'],
  ['worker-pool', 'workers'],
  ['rest-mapper'],
  ['api'],
  ['meta'],
  ['x509'],
  ['go-text'],
];

/** The project of a file, by its folder: `libs/meta`, `tools`. */
const projectOf = (file: string): string => /^(?:(?:apps|libs)\/)?[^/]+/.exec(file)?.[0] ?? file;

/** The row of a library, from the top. Undefined for what is no library. */
function rowOf(project: string, rows: typeof layers): number | undefined {
  const [kind, name = ''] = project.split('/');
  if (kind !== 'libs') return undefined;
  const row = rows.findIndex((names) => names.includes(name));
  return row < 0 ? undefined : row;
}

/** What is wrong with an import, apart from when it is loaded. */
function problemOf(file: string, { specifier, target }: Import, rows: typeof layers): string | undefined {
  const own = projectOf(file);
  if (/^\/|^(?:apps|libs|tools)\//.test(specifier)) return 'is no path from the file';
  if (specifier.startsWith('.')) {
    const other = projectOf(posix.normalize(target ?? specifier));
    return other === own ? undefined : `is outside of ${own}: import a library by its name`;
  }
  if (!specifier.startsWith('@apichain/')) return undefined;
  if (target === undefined) return 'is no entry of a library';
  const other = projectOf(target);
  if (other === own) return 'is the own library: import the file by its path';
  if (own.startsWith('apps/')) return undefined;
  const row = rowOf(own, rows);
  const below = rowOf(other, rows);
  if (row === undefined) return `has no row for ${own} in tools/workspace/layers.ts`;
  if (below === undefined) return `has no row for ${other} in tools/workspace/layers.ts`;
  return below > row ? undefined : `is not below ${own}`;
}

/** The entries that each project loads when they are needed. */
function lazyEntries(graph: ImportGraph): ReadonlyMap<string, ReadonlySet<string>> {
  const lazy = new Map<string, Set<string>>();
  for (const [file, imports] of graph)
    for (const { specifier, kind } of imports) {
      if (kind !== 'lazy' || !specifier.startsWith('@apichain/')) continue;
      const entries = lazy.get(projectOf(file)) ?? new Set();
      lazy.set(projectOf(file), entries.add(specifier));
    }
  return lazy;
}

/** A line for each import that breaks a rule. */
export function violationsOf(graph: ImportGraph, rows = layers): string[] {
  const lazy = lazyEntries(graph);
  return [...graph]
    .filter(([file]) => /^(?:apps|libs)\//.test(file))
    .flatMap(([file, imports]) =>
      imports.flatMap((one) => {
        const isLazy = one.kind === 'static' && lazy.get(projectOf(file))?.has(one.specifier) === true;
        const problem = problemOf(file, one, rows) ?? (isLazy ? 'is loaded only when it is needed' : undefined);
        return problem === undefined ? [] : [`${file}: ${one.specifier} ${problem}`];
      }),
    );
}
