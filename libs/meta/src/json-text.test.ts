import assert from 'node:assert/strict';
import fc from 'fast-check';
import { stringifyJson } from './stringify-json.ts';
import { compareBytes } from './compare-text.ts';
import { indentedPieces, indentJson, stringifySortedJson } from './json-text.ts';
import { LazyList, type Pieces } from './lazy-list.ts';

const inner = fc.oneof(
  { weight: 3, arbitrary: fc.jsonValue() },
  fc.constantFrom<unknown>(undefined, '<&>\n"', 2n ** 60n, [], {}),
);
const values = fc.oneof(
  inner,
  fc
    .tuple(fc.integer({ min: 500, max: 600 }), inner)
    .map(([count, value]) => ({ a: [], b: Array(count).fill(value ?? null) })),
  fc
    .tuple(fc.integer({ min: 500, max: 600 }), inner)
    .map(([count, value]) => [Object.fromEntries(Array.from({ length: count }, (_, i) => [`<${i}>`, value]))]),
);
const bigints = (_key: string, value: unknown): unknown =>
  typeof value === 'bigint' ? JSON.rawJSON(value.toString()) : value;

const joined = (pieces: Pieces<Buffer>): string =>
  Buffer.concat([...pieces].filter((piece) => Buffer.isBuffer(piece))).toString();

describe('JSON text', () => {
  it('is indented as a whole and in pieces, with exact bigints', () => {
    fc.assert(
      fc.property(values, fc.array(inner, { maxLength: 3 }), (value, items) => {
        fc.pre(value !== undefined);
        assert.equal(indentJson(value), JSON.stringify(value, bigints, 2));
        const list = new LazyList(items.length, function* (i) {
          return items[i];
        });
        const text = joined(indentedPieces({ value, none: undefined, list, last: 1 }));
        assert.equal(text, indentJson({ value, list: items, last: 1 }));
      }),
    );
    assert.equal(joined(indentedPieces({})), '{}');
  });

  it('has sorted members in the order of the bytes of their names', () => {
    const name = fc.string({ unit: 'grapheme', maxLength: 3 });
    fc.assert(
      fc.property(fc.array(name), (given) => {
        const byBytes = given.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
        assert.deepEqual(given.toSorted(compareBytes), byBytes);
        const members = [...new Set(byBytes)].map((text) => `${stringifyJson(text)}:[{"b":1,"￿":2,"😀":3}]`);
        const value = Object.fromEntries(given.map((text) => [text, [{ '😀': 3, '￿': 2, b: 1 }]]));
        assert.equal(stringifySortedJson(value), `{${members.join()}}`);
      }),
    );
    assert.equal(
      stringifySortedJson({ b: '<', 10: 1, 9: undefined, '-': [undefined] }),
      '{"-":[null],"10":1,"b":"\\u003c"}',
    );
  });
});
