import assert from 'node:assert/strict';
import * as field from './field-error.ts';

describe('formatBadValue', () => {
  it('prints values as Go does', () => {
    for (const [value, text] of [
      ['a\0b\n"\u00e9<\u2028', '"a\\x00b\\n\\"\u00e9<\\u2028"'],
      [1e21, '1e+21'],
      [1e19, '1e+19'],
      [1000000.5, '1.0000005e+06'],
      [100000.5, '100000.5'],
      [9007199254740992, '9007199254740992'],
      [0.00001, '1e-05'],
      [5n, '5'],
      [-(2 ** 63), '-9223372036854775808'],
      [2 ** 62, '4611686018427387904'],
      [null, 'null'],
      [{ a: '<' }, '{"a":"\\u003c"}'],
    ] as const) {
      assert.equal(field.formatBadValue(value), text);
    }
  });
  it('counts in singular and plural', () => {
    assert.equal(field.tooLong('f', 1).message, 'Too long: may not be more than 1 byte');
    assert.equal(field.tooMany('f', 3, 2).message, 'Too many: 3: must have at most 2 items');
  });
});
