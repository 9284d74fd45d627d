/**
 * Builds the published package, `apichain`: the command, the library and their types; and `create-apichain`, for `npm create apichain`. The folder of the
 * first is dist/package, or the one below the repository that `--output` names, and that of the second has `-create` behind. `--pack` creates tarballs,
 * in dist or in the given folder.
 *
 *   node tools/package/build.ts [--output=DIR] [--pack[=DIR]]
 */
import { spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, normalize, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { bundle } from './bundle.ts';
import { writeCreatePackage } from './create-package.ts';
import { declare, workspaceModules } from './declarations.ts';
import { writePages } from './pages.ts';
import { programs } from './programs.ts';

interface RootManifest {
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly exports: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

const { output, pack } = parseArgs({
  args: process.argv.slice(2).map((arg) => (arg === '--pack' ? '--pack=dist' : arg)),
  options: { output: { type: 'string', default: 'dist/package' }, pack: { type: 'string' } },
}).values;

process.chdir(resolve(import.meta.dirname, '../..'));
const root = JSON.parse(readFileSync('package.json', 'utf8')) as RootManifest;
/** The modules that other programs can import. The same names lead to the sources in the repository, where templates/ imports them. */
const modules = Object.entries(root.exports).map(([path, source]) => ({
  path,
  name: path === '.' ? 'index' : path.slice(2).replaceAll('/', '-'),
  source: normalize(source),
}));
const createOutput = `${output}-create`;
rmSync(output, { recursive: true, force: true });
mkdirSync(join(output, 'bin'), { recursive: true });
const external = Object.keys({ ...root.dependencies, ...root.devDependencies });
const imported = await bundle([...programs, ...modules], { directory: join(output, 'lib'), external });
const types = declare(modules, join(output, 'types'));
declareInjected(types.files.get('envtest-vitest') ?? '');
checkNodeFirst(modules.map(({ name }) => join(output, 'lib', `${name}.js`)));
writeCommonJs();
cpSync('tools/package/files/bin.js', join(output, 'bin/apichain.js'));
cpSync('LICENSE', join(output, 'LICENSE'));
writePages(output, { readme: 'tools/package/README.md', modules: publishedNames() });
writeFileSync(join(output, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`);
writeCreatePackage(createOutput, root);
if (pack !== undefined) for (const folder of [output, createOutput]) makeTarball(folder, pack);

function manifest(): object {
  const { version, description, license } = root;
  const typePackages = types.packages.map((name) => `@types/${name.replace('@', '').replace('/', '__')}`);
  const names = [...imported, ...types.packages.filter((name) => name in root.dependencies), ...typePackages];
  const versions = { ...root.devDependencies, ...root.dependencies };
  return {
    name: 'apichain',
    version,
    description,
    keywords: ['kubernetes', 'kube-apiserver', 'api-server', 'operator', 'envtest', 'testing', 'etcd'],
    license,
    type: 'module',
    engines: { node: '>=22.20' },
    bin: { apichain: 'bin/apichain.js' },
    exports: {
      ...Object.fromEntries(
        modules.map(({ path, name }) => [
          path,
          {
            types: `./types/${types.files.get(name) ?? ''}`,
            require: `./cjs/${name}.cjs`,
            default: `./lib/${name}.js`,
          },
        ]),
      ),
      './jest-preset': './cjs/jest-preset.cjs',
      './package.json': './package.json',
    },
    // For programs whose settings do not know `exports`: moduleResolution node10 of TypeScript.
    typesVersions: {
      '*': Object.fromEntries(
        modules.map(({ path, name }) => [path.slice(2) || '.', [`types/${types.files.get(name) ?? ''}`]]),
      ),
    },
    dependencies: Object.fromEntries(
      [...new Set(names)].sort().flatMap((name) => {
        const pinned = versions[name];
        return pinned === undefined ? [] : [[name, pinned]];
      }),
    ),
  };
}

/** Declares the key with which tests get the environment (`inject('envtest')`). The sources cannot, because the repository does not have vitest. */
function declareInjected(file: string): void {
  const declaration = "declare module 'vitest' {\n  interface ProvidedContext {\n    envtest: EnvtestConfig;\n  }\n}\n";
  appendFileSync(join(output, 'types', file), declaration);
}

/** Makes each module check the version of Node before anything else, so that an old one is told and nothing fails that it does not know. */
function checkNodeFirst(files: readonly string[]): void {
  for (const name of ['node-version.js', 'check-node.js'])
    cpSync(`tools/package/files/${name}`, join(output, 'lib', name));
  for (const file of files) writeFileSync(file, `import './check-node.js';\n${readFileSync(file, 'utf8')}`);
}

/** Writes a CommonJS module for each module, which loads it, and the files of jest's preset. */
function writeCommonJs(): void {
  const folder = join(output, 'cjs');
  cpSync('tools/package/files', folder, { recursive: true, filter: (file) => !file.endsWith('.js') });
  const version = readFileSync('tools/package/files/node-version.js', 'utf8');
  writeFileSync(join(folder, 'node-version.cjs'), version.replace('export const problem', 'exports.problem'));
  for (const { name } of modules)
    if (name !== 'jest')
      writeFileSync(join(folder, `${name}.cjs`), `module.exports = require('./load.cjs')('${name}');\n`);
}

/** The names by which the package offers modules of the repository: `@apichain/testing` is `apichain/testing`. */
function publishedNames(): ReadonlyMap<string, string> {
  const offered = new Map(modules.map(({ path, source }) => [source, join('apichain', path)]));
  return new Map(
    [...workspaceModules()].flatMap(([name, source]) => {
      const published = offered.get(source);
      return published === undefined ? [] : [[name, published] as const];
    }),
  );
}

function makeTarball(folder: string, destination: string): void {
  mkdirSync(destination, { recursive: true });
  const args = ['pack', '--pack-destination', destination, resolve(folder)];
  const { status, stdout, stderr } = spawnSync('npm', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm pack: ${stderr}`);
  console.log(join(destination, stdout.trim().split('\n').at(-1) ?? ''));
}
