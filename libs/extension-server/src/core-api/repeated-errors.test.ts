import assert from 'node:assert/strict';
import { RepeatedErrors } from './repeated-errors.ts';

describe('repeated errors', () => {
  it('are logged once a minute', () => {
    let now = 0;
    const texts: string[] = [];
    const repeated = new RepeatedErrors({ warn: (text: string) => void texts.push(text) }, () => now);
    for (now = 0; now <= 60_000; now += 1_000) repeated.report('failed', new Error('away'));
    repeated.report('failed', new Error('forbidden'));
    assert.deepEqual(texts, ['failed: away', 'failed: away', 'failed: forbidden']);
  });
});
