import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repository } from './chain.ts';
import { shared } from './run-folder.ts';

const run = promisify(execFile);

/** The tarball of the published package, or of the one with `create-` before its name. Both are built once for all tests of a run. */
export async function packedPackage(name: 'apichain' | 'create-apichain' = 'apichain'): Promise<string> {
  const folder = await shared('tarball', async (directory) => {
    // The bundles are run once when they are built, and find their packages in the repository.
    const output = `dist/package-${process.pid}`;
    try {
      const args = ['tools/package/build.ts', `--output=${output}`, `--pack=${directory}`];
      await run(process.execPath, args, { cwd: repository });
    } finally {
      for (const folder of [output, `${output}-create`])
        rmSync(join(repository, folder), { recursive: true, force: true });
    }
  });
  const { version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as { version: string };
  return join(folder, `${name}-${version}.tgz`);
}

/**
 * A node_modules with the packed package, unpacked, and the packages of the repository, in the locked versions. What the package fails to name as
 * a dependency is not noticed here, but where a test installs the tarball.
 */
export async function unpackedPackage(): Promise<string> {
  const tarball = await packedPackage();
  const folder = await shared('unpacked', async (directory) => {
    const modules = join(directory, 'node_modules');
    const own = join(modules, 'apichain');
    mkdirSync(own, { recursive: true });
    await run('tar', ['-xzf', tarball, '-C', own, '--strip-components=1']);
    const installed = join(repository, 'node_modules');
    for (const name of readdirSync(installed))
      if (!name.startsWith('.') && !['apichain', '@apichain'].includes(name))
        symlinkSync(join(installed, name), join(modules, name));
  });
  return join(folder, 'node_modules');
}
