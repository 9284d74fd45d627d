import assert from 'node:assert/strict';
import type { JsonSchemaProps } from '@apichain/schema';
import { checkSchemaRules } from './check-schema.ts';

const hint =
  '(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)';
const lines = (schema: JsonSchemaProps, old?: JsonSchemaProps) =>
  checkSchemaRules(schema, 'spec', old).map((e) => `${e.field}: ${e.message}`);
const names = (rule: string, limit: { maxItems?: number } = {}): JsonSchemaProps => ({
  type: 'object',
  properties: {
    names: { type: 'array', items: { type: 'string' }, 'x-kubernetes-validations': [{ rule }], ...limit },
  },
});

describe('costs of rules', () => {
  const nested = 'self.all(a, self.all(b, a == b))';
  const at = 'spec.properties[names].x-kubernetes-validations[0].rule';

  it('enforces the limits of one expression and of the whole schema', () => {
    assert.deepEqual(lines(names('self.all(a, a.size() > 0)')), []);
    assert.deepEqual(lines(names(nested)), [
      `${at}: Forbidden: estimated rule cost exceeds budget by factor of more than 100x ${hint}`,
      `${at}: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema`,
      'spec: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of ' +
        `more than 100x ${hint}`,
    ]);
    assert.deepEqual(lines(names(nested, { maxItems: 8 })), [
      `${at}: Forbidden: estimated rule cost exceeds budget by factor of 2.0x ${hint}`,
    ]);
  });

  it('counts how often a rule is evaluated', () => {
    const inList = (limit: { maxItems?: number }): JsonSchemaProps => ({
      type: 'array',
      items: { type: 'string', 'x-kubernetes-validations': [{ rule: "self.contains('test')" }] },
      ...limit,
    });
    assert.deepEqual(lines({ type: 'object', properties: { names: inList({ maxItems: 30 }) } }), []);
    const [first = ''] = lines({ type: 'object', properties: { names: inList({}) } });
    assert.match(
      first,
      /items\.x-kubernetes-validations\[0\]\.rule: Forbidden: estimated rule cost exceeds .* more than 100x/,
    );
  });

  it('ratchets an expensive schema, except for the total', () => {
    const schema = names(nested, { maxItems: 8 });
    assert.deepEqual(lines(schema, schema), []);
    assert.equal(lines(names(nested), names(nested)).length, 2);
  });
});
