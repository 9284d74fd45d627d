import assert from 'node:assert/strict';
import fc from 'fast-check';
import { changesOf, diffLines } from './diff.ts';

const shown = (before: string, after: string) =>
  changesOf(diffLines(before, after)).map(
    ({ kind, text }) => `${{ same: ' ', added: '+', removed: '-', gap: '~' }[kind]}${text}`,
  );

describe('the comparison of texts', () => {
  it('shows changed lines with the lines around them', () => {
    const lines = Array.from({ length: 12 }, (_, i) => String(i));
    const after = lines.with(6, 'six').join('\n');
    assert.deepEqual(shown(lines.join('\n'), after), ['~', ' 3', ' 4', ' 5', '-6', '+six', ' 7', ' 8', ' 9', '~']);
    assert.deepEqual(shown('a', 'a'), []);
  });

  it('contains both texts, whatever they are', () => {
    const line = fc.constantFrom('a', 'b', 'c', '');
    const text = fc.array(line, { maxLength: 12 }).map((lines) => lines.join('\n'));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const lines = diffLines(before, after);
        const side = (other: string) =>
          lines
            .filter(({ kind }) => kind !== other)
            .map((entry) => entry.text)
            .join('\n');
        assert.equal(side('added'), before);
        assert.equal(side('removed'), after);
      }),
    );
  });

  it('compares texts of any length', () => {
    const long = (seed: number) => Array.from({ length: 5_000 }, (_, i) => String(i * seed)).join('\n');
    assert.ok(diffLines(long(7), long(11)).length >= 5_000);
  });
});
