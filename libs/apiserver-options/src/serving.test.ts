import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FollowedFiles, type ServingCertificates } from '@apichain/serving';
import { createLogger } from '@apichain/request';
import { serviceFlags } from './all-flags.ts';
import { parseFlags } from './parse-flags.ts';
import { servingOf } from './serving.ts';

describe('authorities that a listener names to clients', () => {
  it('are those of files and others, as they are now', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'apichain-serving-'));
    try {
      const file = join(directory, 'ca.crt');
      writeFileSync(file, 'in a file');
      const files = new FollowedFiles();
      let others = ['first'];
      let changed: () => void = () => assert.fail('nobody has registered');
      const options = await servingOf(parseFlags(serviceFlags(), [`--client-ca-file=${file}`]), files, {
        current: () => others,
        onChange: (call) => (changed = call),
      });
      assert.deepEqual(options.clientCAs, ['in a file', 'first']);
      const reloaded: ServingCertificates[] = [];
      options.onChange?.((certificates) => void reloaded.push(certificates));
      others = ['second', 'third'];
      changed();
      writeFileSync(file, 'in a changed file');
      files.check(createLogger('test', 0, { write: () => undefined }));
      others = [];
      changed();
      assert.deepEqual(
        reloaded.map(({ clientCAs }) => clientCAs),
        [['in a file', 'second', 'third'], ['in a changed file', 'second', 'third'], ['in a changed file']],
      );
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});
