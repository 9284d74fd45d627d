import assert from 'node:assert/strict';
import { resolveFieldPath } from './field-path.ts';

const schema = {
  type: 'object',
  properties: {
    foo: { type: 'object', properties: { 'b.c': { type: 'number' }, 'c\x07': { type: 'string' }, "d'": {} } },
  },
};
const typeAt = (path: string) => resolveFieldPath(path, schema, { arrayNotation: true }).schema.type;

describe('paths of fields in a schema', () => {
  it('read quoted names with the escapes of strings', () => {
    assert.equal(typeAt(".foo['b.c']"), 'number');
    assert.equal(typeAt(".foo['c\\a']"), 'string');
    assert.equal(typeAt(".foo['d\\'']"), undefined);
    assert.throws(() => typeAt(".foo['c\\x']"), /invalid escape char \\x/);
    assert.throws(() => typeAt('.foo.none'), /does not refer to a valid field/);
  });

  it('name keys of maps whose values nobody described, but nothing below them', () => {
    const open = (path: string) => resolveFieldPath(path, { additionalProperties: true }, { arrayNotation: true }).path;
    assert.equal(open('.a'), '[a]');
    assert.throws(() => open('.a.b'), /does not refer to a valid field/);
  });
});
