import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join, resolve } from 'node:path';

const examples = join(resolve(import.meta.dirname, '../../..'), 'examples');

for (const [name, tests] of [
  ['control-plane', 5],
  ['metrics', 3],
  ['database-operator', 4],
  ['website-operator', 1],
] as const)
  describe(`examples/${name}`, () => {
    it('passes its tests', async () => {
      const { NODE_TEST_CONTEXT: _inherited, ...env } = process.env;
      const child = spawn(
        process.execPath,
        ['--test', join(examples, name, name.endsWith('operator') ? 'operator.test.ts' : `${name}.test.ts`)],
        { env },
      );
      let output = '';
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
      const code = await new Promise((done) => child.once('close', done));
      assert.equal(code, 0, output);
      assert.match(output, new RegExp(`pass ${tests}\\b`));
    });
  });
