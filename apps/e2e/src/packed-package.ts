import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repository } from './chain.ts';

let tarball: string | undefined;

/** The tarball of the published package. It is built once for all tests of this process, in a folder of its own. */
export function packedPackage(): string {
  if (tarball !== undefined) return tarball;
  const directory = mkdtempSync(join(tmpdir(), 'apichain-tarball-'));
  // The bundles are run once when they are built, and find their packages in the repository.
  const output = `dist/package-${process.pid}`;
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  const args = ['tools/package/build.ts', `--output=${output}`, `--pack=${directory}`];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: repository, encoding: 'utf8' });
  rmSync(join(repository, output), { recursive: true, force: true });
  assert.equal(status, 0, stdout + stderr);
  const { version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as { version: string };
  return (tarball = join(directory, `apichain-${version}.tgz`));
}
