import assert from 'node:assert/strict';
import fc from 'fast-check';
import { compareRunes, compareYamlKeys } from './yaml-keys.ts';

describe('order of keys in YAML', () => {
  it('is by letters after other characters, and by numbers', () => {
    const sorted = ['', '-', '1', '01', '2', '10', 'a', 'a-1', 'a1', 'a2', 'a10', 'a100', 'ab', 'é'];
    assert.deepEqual([...sorted].reverse().sort(compareYamlKeys), sorted);
  });

  it('is the same for ASCII characters as for all', () => {
    const character = fc.constantFrom(...'0129abzAZ-._/ é\u0663\u{1f600}');
    const text = fc.string({ unit: character, maxLength: 24 });
    const tail = fc.tuple(text, text, text);
    fc.assert(
      fc.property(tail, ([prefix, a, b]) => {
        assert.equal(
          Math.sign(compareYamlKeys(prefix + a, prefix + b)),
          Math.sign(compareRunes(prefix + a, prefix + b)),
        );
      }),
      { numRuns: 2_000 },
    );
  });
});
