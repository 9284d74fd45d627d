import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { digestOf, typesDigest } from './generated-file.ts';

describe('the digest of the types', () => {
  it('changes with every file and every field', () => {
    const directory = mkdtempSync(join(tmpdir(), 'apichain-types-'));
    const url = pathToFileURL(`${directory}/`);
    try {
      const digests = [digestOf(url)];
      const write = (file: string, contents: string) => {
        writeFileSync(join(directory, file), contents);
        digests.push(digestOf(url));
      };
      write('apps.v1.json', '{"A":{"fields":[]}}');
      write('apps.v1.json', '{"A":{"fields":[["wick","string","o",1]]}}');
      write('core.v1.json', '{}');
      assert.equal(new Set(digests).size, digests.length);
      write('core.v1.json', '{}');
      assert.equal(digests.at(-1), digests.at(-2));
    } finally {
      rmSync(directory, { recursive: true });
    }
    assert.match(typesDigest(), /^[0-9a-f]{64}$/);
  });
});
