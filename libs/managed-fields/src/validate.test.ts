import assert from 'node:assert/strict';
import { mergeSchemaOf } from './merge-schema.ts';
import { validate } from './validate.ts';

describe('the check of an applied configuration', () => {
  it('reports at most 1,000 errors', () => {
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
    const errors = validate(schema, { list: items });
    assert.equal(errors.length, 1000);
    assert.equal(errors[0], '.list: duplicate entries for key [k="k0"]');
  });
});
