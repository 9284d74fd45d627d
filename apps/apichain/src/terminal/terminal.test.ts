import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { isColored } from './color.ts';
import { withProgress } from './progress.ts';

describe('what is printed to a terminal', () => {
  it('has colors only where they are wanted', () => {
    assert.equal(isColored({ isTTY: true }, {}), true);
    assert.equal(isColored({ isTTY: true }, { NO_COLOR: '' }), true);
    assert.equal(isColored({ isTTY: true }, { NO_COLOR: '1' }), false);
    assert.equal(isColored({ isTTY: true }, { TERM: 'dumb' }), false);
    assert.equal(isColored({}, {}), false);
  });

  it('tells what takes long, and nothing about the rest', async () => {
    const printed = (isTTY: boolean) => {
      const texts: string[] = [];
      return { texts, isTTY, write: (text: string) => texts.push(text) };
    };
    const times = { quietMs: 20, stepMs: 20, lineMs: 150 };
    const [quick, terminal, file] = [printed(true), printed(true), printed(false)];
    assert.equal(await withProgress(() => 'counting', Promise.resolve(1), quick), 1);
    await Promise.all([terminal, file].map((output) => withProgress(() => 'restoring', sleep(250), output, times)));
    assert.deepEqual(quick.texts, []);
    assert.deepEqual(terminal.texts.slice(0, 1), ['\r\u001b[Krestoring ... 0 s']);
    assert.equal(terminal.texts.at(-1), '\r\u001b[K');
    assert.deepEqual(file.texts, ['apichain: restoring ... 0 s\n']);
    const failing = printed(false);
    await assert.rejects(
      withProgress(() => 'x', Promise.reject(new Error('no')), failing),
      /^Error: no$/,
    );
    assert.deepEqual(failing.texts, []);
  });
});
