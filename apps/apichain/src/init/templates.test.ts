import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { join, resolve } from 'node:path';

const repository = resolve(import.meta.dirname, '../../../..');

describe('the templates of apichain init', () => {
  for (const [template, tests] of [
    ['api', 6],
    ['operator', 7],
    ['control-plane', 5],
  ] as const)
    it(`${template} passes its tests`, async () => {
      const { NODE_TEST_CONTEXT: _inherited, ...env } = process.env;
      const files = globSync(join(repository, 'templates', template, 'src/**/*.test.ts'));
      const child = spawn(process.execPath, ['--test', '--test-reporter=tap', ...files], { env });
      let output = '';
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
      const code = await new Promise((done) => child.once('close', done));
      assert.equal(code, 0, output);
      assert.match(output, new RegExp(`^# pass ${tests}$`, 'm'));
    });
});
