import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const docs = resolve(import.meta.dirname, '../../../docs');

/** The files that the guide shows, run as a reader would: `node --test`. */
describe('docs/testing.md', () => {
  it('shows an operator whose tests pass', async function () {
    this.timeout(60_000);
    const directory = mkdtempSync(join(docs, '.example-'));
    try {
      for (const [, name = '', code = ''] of readFileSync(join(docs, 'testing.md'), 'utf8').matchAll(
        /^```ts file=(\S+)\n(.*?)^```$/gms,
      ))
        writeFileSync(join(directory, name), code);
      const { NODE_TEST_CONTEXT: _inherited, ...env } = process.env;
      const child = spawn(process.execPath, ['--test', join(directory, 'operator.test.ts')], { env });
      let output = '';
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
      const code = await new Promise((done) => child.once('close', done));
      assert.equal(code, 0, output);
      assert.match(output, /pass 4/);
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  });
});
