import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDataDirectory } from './data-directory.ts';

describe('a data directory', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'apichain-data-'));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const started = () => openDataDirectory(root).release();

  it('does not get an empty store while a restore or a repair of its store is incomplete', () => {
    for (const [suffix, message] of [
      [
        'restored',
        /^a restore of .* was interrupted: remove .*embedded-etcd\.restored and restore the snapshot again$/,
      ],
      ['repaired', /^a repair of .* was interrupted: run apichain doctor --repair again$/],
    ] as const) {
      const aside = join(root, `embedded-etcd.${suffix}`);
      mkdirSync(aside);
      assert.throws(started, { name: 'StartupError', message });
      mkdirSync(join(root, 'embedded-etcd'));
      started();
      rmSync(join(root, 'embedded-etcd'), { recursive: true });
      rmSync(aside, { recursive: true });
      started();
    }
  });
});
