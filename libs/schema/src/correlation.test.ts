import assert from 'node:assert/strict';
import { Correlation } from './correlation.ts';

const list = {
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['k'],
  items: { type: 'object', properties: { k: { type: 'string' }, v: { type: 'integer' } } },
};
const unchanged = (schema: object, value: unknown, old: unknown) => new Correlation(value, old, schema).unchanged;

describe('values that did not change', () => {
  it('are lists of type map in any order', () => {
    const [a, b] = [
      { k: 'a', v: 1 },
      { k: 'b', v: 2 },
    ];
    assert.equal(unchanged(list, [b, a], [a, b]), true);
    assert.equal(unchanged(list, [b], [a, b]), false);
    assert.equal(unchanged(list, [b, { ...a, v: 3 }], [a, b]), false);
    assert.equal(unchanged({ ...list, 'x-kubernetes-list-type': 'atomic' }, [b, a], [a, b]), false);
  });
  it('are maps whose members the schema describes', () => {
    const open = {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      properties: { a: { type: 'string' } },
    };
    assert.equal(unchanged(open, { a: 'x' }, { a: 'x' }), true);
    assert.equal(unchanged(open, { a: 'x', u: 1 }, { a: 'x', u: 1 }), false);
    assert.equal(unchanged(open, {}, {}), true);
    assert.equal(unchanged({ type: 'object', additionalProperties: { type: 'string' } }, { u: 'x' }, { u: 'x' }), true);
  });
});
