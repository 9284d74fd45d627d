import assert from 'node:assert/strict';
import { mergeSchemaOf } from './merge-schema.ts';
import { validate, validating } from './validate.ts';

describe('the check of an applied configuration', () => {
  it('yields within long lists, with the errors of a check in one step', () => {
    const schema = mergeSchemaOf({
      kind: 'object',
      fields: [],
      values: {
        kind: 'array',
        listType: 'map',
        listMapKeys: ['k'],
        items: { kind: 'object', values: { kind: 'string' } },
      },
    });
    const items = Array.from({ length: 60_000 }, (_, i) => ({ k: `k${i % 50_000}` }));
    const work = validating(schema, { list: items });
    let yields = 0;
    let result = work.next();
    for (; result.done !== true; result = work.next()) yields++;
    assert.ok(yields > 2, String(yields));
    assert.equal(result.value.length, 1000);
    assert.deepEqual(result.value, validate(schema, { list: items }));
  });
});
