import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { writeDocumentation } from './documentation.ts';
import { writeFirstObjectTemplates } from './first-objects.ts';

/** A module of the published package and the source it is made of. */
export interface Entry {
  /** Of the file under `lib`, without its ending. */
  readonly name: string;
  readonly source: string;
}

/**
 * Bundles the entries, with what they share in chunks, into `directory`; packages from the registry stay imports. One file instead of
 * hundreds takes a third off the processor time of a start. Returns the names of the packages that are imported.
 */
export async function bundle(
  entries: readonly Entry[],
  { directory, external }: { readonly directory: string; readonly external: readonly string[] },
): Promise<string[]> {
  const { outputFiles } = await build({
    entryPoints: Object.fromEntries(entries.map(({ name, source }) => [name, source])),
    outdir: directory,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    external: external.flatMap((name) => [name, `${name}/*`]),
    plugins: [plainHttp],
    // Stack traces name functions as the sources do; the lines are those of readable code.
    minify: false,
    write: false,
    logLevel: 'error',
  });
  // Tables that are read when they are needed; see libs/kinds/src/generated-file.ts.
  cpSync('libs/kinds/src/generated', join(directory, 'generated'), { recursive: true });
  await writeFirstObjectTemplates(directory);
  writeDocumentation(join(directory, 'documentation'));
  mkdirSync(directory, { recursive: true });
  for (const { path, contents } of outputFiles) writeFileSync(path, contents);
  return external.filter((name) => outputFiles.some(({ text }) => loads(name).test(text)));
}

/**
 * Takes `node:http` as the CommonJS module it is. To import it, Node reads all that it exports, and so loads its own fetch and WebSockets:
 * 30 ms and 8 MB in every process.
 */
const plainHttp: Plugin = {
  name: 'plain-http',
  setup(bundler) {
    bundler.onResolve({ filter: /^node:http$/ }, ({ path }) => ({ path, namespace: 'plain-http' }));
    bundler.onLoad({ filter: /./, namespace: 'plain-http' }, () => ({
      contents: "module.exports = process.getBuiltinModule('node:http');",
    }));
  },
};

/** `from 'name'`, `import 'name/part'`, `import('name')`, and what `createRequire` made calling itself with it. */
const loads = (name: string) => new RegExp(`\\b(?:from|import|require\\d*)\\s*\\(?\\s*["']${name}(?:/[^"']*)?["']`);
