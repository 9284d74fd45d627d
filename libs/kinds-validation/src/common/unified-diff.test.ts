import { strict as assert } from 'node:assert';
import { shownDiff, unifiedDiff } from './unified-diff.ts';

describe('unifiedDiff', () => {
  it('shows a change with three lines around it', () => {
    const old = { Name: 'e', Image: 'i', Command: null, Args: null, WorkingDir: '', Ports: null };
    assert.equal(
      unifiedDiff(old, { ...old, Image: 'j' }),
      '@@ -1,6 +1,6 @@\n {\n  "Name": "e",\n- "Image": "i",\n+ "Image": "j",\n  "Command": null,\n  "Args": null,\n  "WorkingDir": "",\n',
    );
  });
  it('keeps far apart changes in groups of their own', () => {
    const lines = Array.from({ length: 30 }, (_, i) => i);
    const changed = lines.map((n) => (n === 2 || n === 25 ? -n : n));
    const text = unifiedDiff(lines, changed);
    assert.deepEqual(text.match(/^@@.*@@$/gm), ['@@ -1,7 +1,7 @@', '@@ -24,7 +24,7 @@']);
  });
  it('is empty for equal values', () => {
    assert.equal(unifiedDiff({ a: [1, {}] }, { a: [1, {}] }), '');
  });
  it('tells long texts apart that differ behind what is shown', () => {
    const long = '&'.repeat(300_000);
    assert.equal(unifiedDiff({ a: long }, { a: long }), '');
    const text = unifiedDiff({ a: `${long}b\n` }, { a: `${long}c\n` });
    assert.match(text, /^@@ -1,3 \+1,3 @@\n \{\n- "a": "(\\u0026)+/);
    assert.ok(text.length < 300_000);
  });
  it('writes lines that only came or went', () => {
    assert.equal(unifiedDiff([], ['a']), '@@ -1 +1,3 @@\n-[]\n+[\n+ "a"\n+]\n');
  });

  it('prints nothing of values that are too large to compare', () => {
    const large = Array.from({ length: 6_000 }, (_, i) => i);
    const print = () => assert.fail('takes long');
    assert.equal(shownDiff(large, [], print), 'the difference is too large to be shown\n');
    assert.equal(
      shownDiff([], ['a'], (value) => value),
      unifiedDiff([], ['a']),
    );
  });
});
