import assert from 'node:assert/strict';
import fc from 'fast-check';
import { sortMembers } from './sorted-members.ts';

function expected(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(expected);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => [key, expected(member)]),
  );
}

describe('sortMembers', () => {
  it('sorts members by name', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(expected(value));
        assert.equal(JSON.stringify(sortMembers(structuredClone(value))), text);
      }),
    );
  });
  it('treats __proto__ as an ordinary member', () => {
    const sorted = sortMembers(JSON.parse('{"b":1,"__proto__":{"d":1,"c":2}}'));
    assert.equal(JSON.stringify(sorted), '{"__proto__":{"c":2,"d":1},"b":1}');
  });
  it('reaches any depth', () => {
    let value: unknown = 1;
    for (let i = 0; i < 100_000; i++) value = { b: 1, a: value };
    sortMembers(value);
  });
});
