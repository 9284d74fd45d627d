import assert from 'node:assert/strict';
import fc from 'fast-check';
import { stringifyJson } from './stringify-json.ts';
import { indentingJson, stringifyingJson } from './json-text.ts';
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
