import assert from 'node:assert/strict';
import { resolveFieldPath } from './field-path.ts';

const schema = {
  type: 'object',
  properties: {
    foo: { type: 'object', properties: { 'b.c': { type: 'number' }, 'c\x07': { type: 'string' }, "d'": {} } },
  },
};
const typeAt = (path: string) => {
  const found = resolveFieldPath(path, schema, { arrayNotation: true });
  return 'problem' in found ? found : found.schema.type;
};
const leavesSchema = { problem: 'does not refer to a valid field' };

describe('paths of fields in a schema', () => {
  it('read quoted names with the escapes of strings', () => {
    assert.equal(typeAt(".foo['b.c']"), 'number');
    assert.equal(typeAt(".foo['c\\a']"), 'string');
    assert.equal(typeAt(".foo['d\\'']"), undefined);
    assert.deepEqual(typeAt(".foo['c\\x']"), { problem: 'invalid string literal: invalid escape char \\x' });
    assert.deepEqual(typeAt('.foo.none'), leavesSchema);
  });

  it('name keys of maps with undescribed values, but no fields below them', () => {
    const open = (path: string) => resolveFieldPath(path, { additionalProperties: true }, { arrayNotation: true });
    assert.deepEqual(open('.a'), { path: '[a]', root: 'a', schema: {} });
    assert.deepEqual(open('.a.b'), leavesSchema);
  });
});
