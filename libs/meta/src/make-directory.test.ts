import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeDirectory } from './make-directory.ts';

describe('makeDirectory', () => {
  const folder = mkdtempSync(join(tmpdir(), 'apichain-test-'));
  after(() => rmSync(folder, { recursive: true }));

  it('creates missing directories and keeps existing ones', () => {
    const path = join(folder, 'a/b/c');
    makeDirectory(path, 0o700);
    assert.equal(statSync(path).mode & 0o777, 0o700);
    makeDirectory(path, 0o755);
    assert.equal(statSync(path).mode & 0o777, 0o700);
  });

  it('reports why it failed', () => {
    writeFileSync(join(folder, 'file'), '');
    assert.throws(() => makeDirectory(join(folder, 'file')), /EEXIST/);
    assert.throws(() => makeDirectory(join(folder, 'file/below')), /EEXIST|ENOTDIR/);
    assert.throws(() => makeDirectory('/proc/nowhere/below'), /ENOENT|EACCES|EPERM/);
  });
});
