/**
 * Builds the published package, `apichain`: the command, the library and their types. The folder is dist/package, or the one below the
 * repository that `--output` names. `--pack` creates a tarball, in dist or in the given folder.
 *
 *   node tools/package/build.ts [--output=DIR] [--pack[=DIR]]
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, normalize, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { bundle } from './bundle.ts';
import { declare } from './declarations.ts';
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
rmSync(output, { recursive: true, force: true });
mkdirSync(join(output, 'bin'), { recursive: true });
const external = Object.keys({ ...root.dependencies, ...root.devDependencies });
const imported = await bundle([...programs, ...modules], { directory: join(output, 'lib'), external });
const types = declare(modules, join(output, 'types'));
cpSync('tools/package/bin.js', join(output, 'bin/apichain.js'));
for (const file of ['LICENSE', 'README.md', 'CHANGELOG.md', 'docs'])
  cpSync(file, join(output, file), { recursive: true });
writeFileSync(join(output, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`);
if (pack !== undefined) makeTarball(pack);

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
    engines: { node: '>=24' },
    bin: { apichain: 'bin/apichain.js' },
    exports: {
      ...Object.fromEntries(
        modules.map(({ path, name }) => [
          path,
          { types: `./types/${types.files.get(name) ?? ''}`, default: `./lib/${name}.js` },
        ]),
      ),
      './package.json': './package.json',
    },
    dependencies: Object.fromEntries(
      [...new Set(names)].sort().flatMap((name) => {
        const pinned = versions[name];
        return pinned === undefined ? [] : [[name, pinned]];
      }),
    ),
  };
}

function makeTarball(destination: string): void {
  mkdirSync(destination, { recursive: true });
  const args = ['pack', '--pack-destination', destination, resolve(output)];
  const { status, stdout, stderr } = spawnSync('npm', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm pack: ${stderr}`);
  console.log(join(destination, stdout.trim().split('\n').at(-1) ?? ''));
}
