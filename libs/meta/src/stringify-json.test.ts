import assert from 'node:assert/strict';
import fc from 'fast-check';
import { stringifyJson } from './stringify-json.ts';

describe('stringifyJson', () => {
  it('escapes the same characters in long texts as in short ones', () => {
    const texts = fc.array(
      fc.constantFrom('<', '>', '&', '\u2028', '\u2029', '\u2027', '\ud800', '\u{1f600}', '"', 'a'),
    );
    fc.assert(
      fc.property(texts, (characters) => {
        const text = characters.join('');
        const filler = 'x'.repeat(70_000);
        assert.equal(stringifyJson([text, filler]), `[${stringifyJson(text)},"${filler}"]`);
      }),
    );
    assert.equal(stringifyJson({ '<': '\u2028&\u2029>' }), '{"\\u003c":"\\u2028\\u0026\\u2029\\u003e"}');
  });
});
