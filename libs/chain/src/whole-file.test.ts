import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StartupError } from './startup-error.ts';
import { writeWholeFile } from './whole-file.ts';

describe('writeWholeFile', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'apichain-whole-file-'));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  it('replaces a file that others could read by one that they cannot', () => {
    const path = join(directory, 'secret');
    writeFileSync(path, 'old', { mode: 0o666 });
    const old = statSync(path).ino;
    writeWholeFile(path, 'new', 0o600);
    assert.equal(readFileSync(path, 'utf8'), 'new');
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.notEqual(statSync(path).ino, old);
    assert.deepEqual(readdirSync(directory), ['secret']);
  });

  it('says in a line which file cannot be written, and leaves nothing behind', () => {
    const path = join(directory, 'missing', 'secret');
    assert.throws(
      () => writeWholeFile(path, 'new', 0o600),
      (error) => error instanceof StartupError && error.message.startsWith(`${path} cannot be written: ENOENT`),
    );
    assert.deepEqual(readdirSync(directory), []);
  });
});
