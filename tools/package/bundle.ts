import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { buildAssets } from '@apichain/console/build';
import { build, type BuildOptions, type Metafile, type Plugin } from 'esbuild';
import { writeDocumentation } from './documentation.ts';
import { licensesOf } from './licenses.ts';
import { unusedParts } from './unused-parts.ts';

/** A module of a bundle, and its source. */
export interface Entry {
  /** The name of the file in the bundle, without its extension. */
  readonly name: string;
  readonly source: string;
}

interface BundleOptions {
  readonly directory: string;
  /** The names of packages that are imported instead of bundled, unless a start loads them (`loadedAtStart`). */
  readonly external: readonly string[];
}

/**
 * The packages that a start loads: every one, or the one that makes certificates. They are bundled: with what they depend on they are 480 modules,
 * and finding and reading single modules is a fifth of the processor time of a start. What is loaded later, or not at all, stays a package of
 * its own.
 */
const loadedAtStart: readonly string[] = [
  '@bufbuild/protobuf',
  '@noble/ciphers',
  '@peculiar/asn1-csr',
  '@peculiar/asn1-schema',
  '@peculiar/x509',
  'asn1js',
  'express',
  'jose',
  'pino',
  'prom-client',
  'reflect-metadata',
  'sorted-btree',
];

/**
 * Bundles the entries into `directory`, with shared code in chunks, with the tables that are read from files, and with the licenses of the
 * packages inside. Compared with hundreds of files, a bundle saves half of the processor time of a start. Returns the names of the imported
 * packages. The working directory must be the repository. Throws Error when a source does not build or a package with documentation is not
 * installed.
 */
export async function bundle(
  entries: readonly Entry[],
  { directory, external }: BundleOptions,
): Promise<readonly string[]> {
  const { inputs, imported } = await bundleModules(entries, { directory, external });
  const read: Readonly<Record<string, () => void>> = {
    'libs/kinds/src/generated-file.ts': () =>
      cpSync('libs/kinds/src/generated', join(directory, 'generated'), { recursive: true }),
    'apps/apichain/src/init/templates.ts': () => cpSync('templates', join(directory, 'templates'), { recursive: true }),
    'libs/kinds/src/documentation.ts': () => writeDocumentation(join(directory, 'documentation')),
  };
  for (const [module, write] of Object.entries(read)) if (module in inputs) write();
  const ofBrowser = 'libs/console/src/assets.ts' in inputs ? await buildAssets(join(directory, 'console')) : [];
  writeFileSync(join(directory, 'LICENSES.txt'), licensesOf([...Object.keys(inputs), ...ofBrowser]));
  if ('libs/server-core/src/bootstrap/first-objects.ts' in inputs) await writeFirstObjects(directory, external);
  return imported;
}

/** Bundles the entries alone. Files are replaced one by one, so that programs that run from the directory still find their files. */
async function bundleModules(
  entries: readonly Entry[],
  { directory, external }: BundleOptions,
): Promise<{ readonly inputs: Metafile['inputs']; readonly imported: readonly string[] }> {
  const options = {
    outdir: directory,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    external: external.filter((name) => !loadedAtStart.includes(name)).flatMap((name) => [name, `${name}/*`]),
    plugins: [builtinModules, unusedParts],
    // Node keeps the text of modules in memory. Names and short lines stay, so that stack traces remain readable.
    minifyWhitespace: true,
    lineLimit: 160,
    legalComments: 'none',
    write: false,
    metafile: true,
    logLevel: 'error',
  } satisfies BuildOptions;
  const entryPoints = Object.fromEntries(entries.map(({ name, source }) => [name, source]));
  const { metafile: whole } = await build({ ...options, entryPoints });
  const { outputFiles, metafile } = await build({
    ...options,
    entryPoints: { ...entryPoints, ...workerProgramOf(whole), ...partsOf(whole, entries) },
  });
  const isImported = new Set(Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path)));
  mkdirSync(directory, { recursive: true });
  for (const { path, contents } of outputFiles) {
    if (basename(path).startsWith(partPrefix) && !isImported.has(relative('.', path))) continue;
    writeFileSync(`${path}.new`, contents);
    renameSync(`${path}.new`, path);
  }
  removeOldModules(directory);
  // A long line may be broken within a string.
  const texts = outputFiles.map(({ text }) => text.replaceAll('\\\n', ''));
  return {
    inputs: metafile.inputs,
    imported: external.filter((name) => texts.some((text) => loads(name).test(text))),
  };
}

/** The program of worker threads, for a bundle with a server that starts them: libs/apiserver/src/workers.ts finds it by its name. */
const workerProgramOf = ({ inputs }: Metafile): Record<string, string> =>
  'libs/apiserver/src/workers.ts' in inputs ? { 'worker-program': 'libs/apiserver/src/worker-program.ts' } : {};

const partPrefix = 'part-';

/**
 * The libraries in a bundle, as further entries: the bundler puts what is reached by the same entries into one module, so each library becomes a
 * module of its own. One module for all would be compiled as a whole, and a first start, before Node has kept compiled code, would take 7 MB more.
 */
function partsOf({ inputs }: Metafile, entries: readonly Entry[]): Record<string, string> {
  const given = new Set(entries.map(({ source }) => source));
  const indexes = Object.keys(inputs).filter((path) => /^libs\/[^/]+\/src\/index\.ts$/.test(path) && !given.has(path));
  return Object.fromEntries(indexes.map((path) => [`${partPrefix}${path.split('/')[1]}`, path]));
}

const dayMs = 24 * 60 * 60_000;

/** Removes modules of earlier bundles after a day. A program that is still running may load its modules later. */
function removeOldModules(directory: string): void {
  for (const name of readdirSync(directory)) {
    const path = join(directory, name);
    if (name.endsWith('.js') && statSync(path).mtimeMs < Date.now() - dayMs) rmSync(path);
  }
}

/**
 * Writes the initial objects of every cluster, for libs/server-core/src/bootstrap/first-objects.ts. The program that creates them is
 * bundled first: loading it from its sources would take longer than the rest of the build.
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
 * Modules of Node that are loaded as CommonJS modules. With an ES import of `node:http`, Node reads all its exports, and so loads its fetch and
 * WebSocket implementations: 30 ms and 8 MB in every process. The others have exports that an old Node lacks; with an ES import of one, it would
 * fail before check-node.js can say that it is too old.
 */
const loadedAsCommonJs: ReadonlySet<string> = new Set([
  'node:http',
  'node:fs',
  'node:module',
  'node:stream',
  'node:zlib',
]);

/** Loads these modules. `require` of any module of Node becomes the same call, because ES modules have no `require`. */
const builtinModules: Plugin = {
  name: 'builtin-modules',
  setup(bundler) {
    const namespace = 'builtin-module';
    bundler.onResolve({ filter: /^[a-z:_/0-9]+$/ }, ({ path, kind }) =>
      loadedAsCommonJs.has(path) || (kind === 'require-call' && isBuiltin(path)) ? { path, namespace } : undefined,
    );
    bundler.onLoad({ filter: /./, namespace }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)});`,
    }));
  },
};

/**
 * Matches what imports a package: `from 'name'`, `import 'name/part'`, `import('name')`, and calls of a function that `createRequire` returned.
 * Only such a call imports a package that is bundled.
 */
const loads = (name: string) =>
  new RegExp(
    `\\b(?:${loadedAtStart.includes(name) ? '' : 'from|import|'}require\\d*)\\s*\\(?\\s*["']${name}(?:/[^"']*)?["']`,
  );
