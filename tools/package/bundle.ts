import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build, type Metafile, type Plugin } from 'esbuild';
import { writeDocumentation } from './documentation.ts';

/** A module of a bundle and the source it is made of. */
export interface Entry {
  /** Of the file in the bundle, without its ending. */
  readonly name: string;
  readonly source: string;
}

interface BundleOptions {
  readonly directory: string;
  /** Names of packages that stay imports. */
  readonly external: readonly string[];
}

/**
 * Bundles the entries, with what they share in chunks, into `directory`, together with the tables that they read from files beside them. One
 * file instead of hundreds takes a third off the processor time of a start. Returns the names of the packages that are imported. The working
 * directory is the repository. Throws Error when a source does not build or a documented package is not installed.
 */
export async function bundle(
  entries: readonly Entry[],
  { directory, external }: BundleOptions,
): Promise<readonly string[]> {
  const { inputs, imported } = await bundleModules(entries, { directory, external });
  const read: Readonly<Record<string, () => void>> = {
    'libs/kinds/src/generated-file.ts': () =>
      cpSync('libs/kinds/src/generated', join(directory, 'generated'), { recursive: true }),
    'libs/kinds/src/documentation.ts': () => writeDocumentation(join(directory, 'documentation')),
  };
  for (const [module, write] of Object.entries(read)) if (module in inputs) write();
  if ('libs/server-core/src/bootstrap/first-objects.ts' in inputs) await writeFirstObjects(directory, external);
  return imported;
}

/** Bundles the entries alone. Files are replaced one by one, so that programs that run from the directory find theirs. */
async function bundleModules(
  entries: readonly Entry[],
  { directory, external }: BundleOptions,
): Promise<{ readonly inputs: Metafile['inputs']; readonly imported: readonly string[] }> {
  const { outputFiles, metafile } = await build({
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
    metafile: true,
    logLevel: 'error',
  });
  mkdirSync(directory, { recursive: true });
  for (const { path, contents } of outputFiles) {
    writeFileSync(`${path}.new`, contents);
    renameSync(`${path}.new`, path);
  }
  removeOldModules(directory);
  return {
    inputs: metafile.inputs,
    imported: external.filter((name) => outputFiles.some(({ text }) => loads(name).test(text))),
  };
}

const dayMs = 24 * 60 * 60_000;

/** Modules of earlier bundles stay for a day: a program that still runs loads some of its own only when it needs them. */
function removeOldModules(directory: string): void {
  for (const name of readdirSync(directory)) {
    const path = join(directory, name);
    if (name.endsWith('.js') && statSync(path).mtimeMs < Date.now() - dayMs) rmSync(path);
  }
}

/**
 * Writes what every cluster begins with, for libs/server-core/src/bootstrap/first-objects.ts. The program that makes it is bundled too: to load
 * it from its sources would take longer than everything else here.
 */
async function writeFirstObjects(directory: string, external: readonly string[]): Promise<void> {
  const temporary = mkdtempSync(join(dirname(directory), '.first-objects-'));
  try {
    await bundleModules([{ name: 'program', source: 'tools/package/first-objects.ts' }], {
      directory: temporary,
      external,
    });
    cpSync('libs/kinds/src/generated', join(temporary, 'generated'), { recursive: true });
    const target = join(directory, 'generated/first-objects.json');
    const { status, stderr } = spawnSync(process.execPath, [join(temporary, 'program.js'), target], {
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`a chain that makes the first objects failed:\n${stderr}`);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
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
