import assert from 'node:assert/strict';
import fc from 'fast-check';
import { stringifyJson } from './stringify-json.ts';
import { compareBytes } from './compare-text.ts';
import { indentingJson, stringifyingJson, stringifyingSortedJson } from './json-text.ts';
import { finish } from './turns.ts';

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

describe('JSON text written in steps', () => {
  it('equals the text written in one step', () => {
    fc.assert(
      fc.property(values, (value) => {
        fc.pre(value !== undefined);
        assert.equal(finish(stringifyingJson(value)), stringifyJson(value));
        assert.equal(finish(indentingJson(value)), JSON.stringify(value, bigints, 2));
      }),
    );
  });

  it('has sorted members in the order of the bytes of their names', () => {
    const name = fc.string({ unit: 'grapheme', maxLength: 3 });
    fc.assert(
      fc.property(fc.array(name), (given) => {
        const byBytes = given.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
        assert.deepEqual(given.toSorted(compareBytes), byBytes);
        const members = [...new Set(byBytes)].map((text) => `${stringifyJson(text)}:[{"b":1,"￿":2,"😀":3}]`);
        const value = Object.fromEntries(given.map((text) => [text, [{ '😀': 3, '￿': 2, b: 1 }]]));
        assert.equal(finish(stringifyingSortedJson(value)), `{${members.join()}}`);
      }),
    );
    assert.equal(
      finish(stringifyingSortedJson({ b: '<', 10: 1, 9: undefined, '-': [] })),
      '{"-":[],"10":1,"b":"\\u003c"}',
    );
  });

  it('takes steps in proportion to the members', () => {
    const steps = (value: unknown) => {
      let count = 0;
      for (const work = stringifyingJson(value); work.next().done !== true;) count++;
      return count;
    };
    assert.equal(steps({ a: Array(100).fill({}) }), 0);
    const list = Array.from({ length: 20_000 }, () => ({}));
    for (const value of [list, { a: { ...list } }, { a: list, b: list }]) assert(steps(value) > 70);
  });
});
