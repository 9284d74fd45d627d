import assert from 'node:assert/strict';
import { regularExpressions } from './literals.ts';
import { slowText } from './slow-text.ts';

describe('the regular expressions of the servers', () => {
  it('take linear time for any text', function () {
    this.timeout(240_000);
    const seen = new Set<string>();
    const slow: string[] = [];
    for (const { file, line, expression } of regularExpressions()) {
      if (seen.has(String(expression))) continue;
      seen.add(String(expression));
      const text = slowText(expression);
      if (text !== undefined)
        slow.push(`${file}:${line}: ${String(expression)} on ${JSON.stringify(text.slice(0, 30))}...`);
    }
    assert(seen.size > 300);
    assert.deepEqual(slow, []);
  });

  it('are detected when they are slow', () => {
    for (const expression of [/^\d*\d*$/, /0+$/, /^[a-z]+:? *[a-z]+ *$/])
      assert.notEqual(slowText(expression), undefined, String(expression));
    for (const expression of [/^a+$/, /(?<!0)0+$/, /^[a-z]+(?:-[a-z]+)*$/])
      assert.equal(slowText(expression), undefined, String(expression));
  });
});
