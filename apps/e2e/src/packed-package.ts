import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repository } from './chain.ts';

let tarball: string | undefined;

/** The tarball of the published package. It is built once for all tests of this process. */
export function packedPackage(): string {
  if (tarball !== undefined) return tarball;
  const directory = mkdtempSync(join(tmpdir(), 'apichain-tarball-'));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  const args = ['tools/package/build.ts', `--pack=${directory}`];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: repository, encoding: 'utf8' });
  assert.equal(status, 0, stdout + stderr);
  const { version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as { version: string };
  return (tarball = join(directory, `apichain-${version}.tgz`));
}
