import assert from 'node:assert/strict';
import type { JsonSchemaProps } from '@apichain/schema';
import { checkSchemaRules } from './check-schema.ts';

const withRule = (extra: JsonSchemaProps): JsonSchemaProps => ({
  ...extra,
  properties: { a: { type: 'string', 'x-kubernetes-validations': [{ rule: 'self == oldSelf && nothing' }] } },
});
const lines = (schema: JsonSchemaProps, refused: string[] = []) =>
  checkSchemaRules(schema, 'spec', undefined, new Set(refused)).map((e) => `${e.field}: ${e.message.split('\n')[0]}`);

describe('rules of a CRD schema', () => {
  it('correlates the values of atomic maps, but not of atomic lists', () => {
    const map = withRule({ type: 'object', 'x-kubernetes-map-type': 'atomic' });
    assert.equal(lines(map).length, 1);
    const rule = { type: 'string', 'x-kubernetes-validations': [{ rule: 'self == oldSelf' }] };
    assert.deepEqual(lines({ type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { a: rule } }), []);
    const [line] = lines({
      type: 'object',
      properties: { l: { type: 'array', maxItems: 3, items: rule } },
    });
    assert.match(line ?? '', /oldSelf cannot be used on the uncorrelatable portion of the schema within spec/);
  });

  it('correlates nothing in maps of an unknown type', () => {
    const rule = { type: 'string', maxLength: 3, 'x-kubernetes-validations': [{ rule: 'self == oldSelf' }] };
    const [line] = lines({ type: 'object', 'x-kubernetes-map-type': 'future', properties: { a: rule } });
    assert.match(line ?? '', /oldSelf cannot be used/);
  });

  it('compiles rules of fields that outer rules cannot access', () => {
    const rule = { type: 'string', maxLength: 3, 'x-kubernetes-validations': [{ rule: "self == 'a'" }] };
    const open: JsonSchemaProps = { 'x-kubernetes-preserve-unknown-fields': true, properties: { a: rule } };
    assert.deepEqual(lines({ type: 'object', properties: { open } }), []);
    assert.deepEqual(lines({ type: 'object', items: rule }), []);
  });

  it('reports fields without a type below values that cannot be iterated', () => {
    const rule = [{ rule: 'self.all(k, self[k] == 1)' }];
    const [error] = checkSchemaRules({ type: 'object', properties: {}, 'x-kubernetes-validations': rule }, 'spec');
    assert.match(error?.message ?? '', /cannot be range of a comprehension[^]*applied to '\(selfType, !error!\)'/);
  });

  it('declares fields as outer rules do', () => {
    const rules = [{ rule: 'true' }];
    const items: JsonSchemaProps = { type: 'string', maxLength: 3, 'x-kubernetes-validations': rules };
    assert.deepEqual(lines({ type: 'object', 'x-kubernetes-validations': rules, items }), [
      'spec.items.x-kubernetes-validations: Internal error: failed to convert to declType for CEL validation rules',
    ]);
  });

  it('requires a type for schemas with rules', () => {
    const open = { 'x-kubernetes-preserve-unknown-fields': true, 'x-kubernetes-validations': [{ rule: 'true' }] };
    const [line] = lines({ type: 'object', properties: { open } });
    assert.match(line ?? '', /failed to construct type information .*: unable to convert structural schema to CEL/);
  });

  it('names types from the place of the rule', () => {
    const type = (schema: JsonSchemaProps) =>
      checkSchemaRules(schema, 'spec').map((e) => /applied to '\(int, (.*)\)'/.exec(e.message)?.[1]);
    const below: JsonSchemaProps = { type: 'object', properties: { b: { type: 'object', properties: {} } } };
    const ruled = (rule: string) => ({ ...below, 'x-kubernetes-validations': [{ rule }] });
    assert.deepEqual(type({ type: 'object', properties: { a: ruled('size(1, self)') } }), ['selfType']);
    assert.deepEqual(type({ type: 'object', properties: { a: ruled('size(1, self.b)') } }), ['selfType.b']);
    const rule = [{ rule: 'size(1, self.a)' }];
    assert.deepEqual(type({ type: 'object', properties: { a: below }, 'x-kubernetes-validations': rule }), [
      'selfType.a',
    ]);
  });

  it('skips fields with an invalid keyword', () => {
    const schema = withRule({ type: 'object' });
    assert.equal(lines(schema).length, 1);
    assert.deepEqual(lines(schema, ['spec', 'spec.properties[a]']), []);
    assert.equal(lines(schema, ['spec', 'spec.properties[b]']).length, 1);
  });
});
