import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../../..');
const example = join(root, 'examples/greeting-operator');

describe('docs/testing.md', () => {
  it('has an example operator whose tests pass', async () => {
    const { NODE_TEST_CONTEXT: _inherited, ...env } = process.env;
    const child = spawn(process.execPath, ['--test', join(example, 'operator.test.ts')], { env });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const code = await new Promise((done) => child.once('close', done));
    assert.equal(code, 0, output);
    assert.match(output, /pass 8/);
  });

  it('quotes the example exactly, and names existing files', () => {
    const guide = readFileSync(join(root, 'docs/testing.md'), 'utf8');
    const quotes = [...guide.matchAll(/^```ts file=(\S+)\n(.*?)^```$/gms)];
    assert.ok(quotes.length > 1);
    for (const [, file = '', code = ''] of quotes) {
      const source = readFileSync(join(example, file), 'utf8');
      for (const part of code.split(/^ *\/\/ \.\.\.\n/m)) assert.ok(source.includes(part), `${file} has not:\n${part}`);
    }
    for (const [, path = ''] of guide.matchAll(/\]\((\.\.\/[^)#]+)\)/g))
      assert.ok(existsSync(join(root, 'docs', path)), path);
  });
});
