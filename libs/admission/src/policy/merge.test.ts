import assert from 'node:assert/strict';
import type { KubeObject } from '@apichain/meta';
import type { Field, Type } from '@apichain/scheme';
import { mergeConfiguration } from './merge.ts';

const string: Type = { kind: 'string' };
const makeObject = (members: Record<string, Type>): Type => {
  const fields: Field[] = Object.entries(members).map(([name, type]) => ({ name, type }));
  return { kind: 'object', fields, byName: new Map(fields.map((field) => [field.name, field])) };
};
const type = makeObject({
  apiVersion: string,
  kind: string,
  metadata: makeObject({ name: string, labels: { kind: 'map', values: string } }),
  data: { kind: 'map', values: string },
  atomic: { kind: 'array', items: string },
});
const object: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' }, data: { a: '1' } };

describe('merging a configuration', () => {
  it('keeps fields that it does not name', () => {
    assert.deepEqual(mergeConfiguration(object, { data: { b: '2' } }, type).data, { a: '1', b: '2' });
  });

  it('refuses values that do not match the type', () => {
    const refused = (patch: Record<string, unknown>, cause: string): void => {
      const message = `failed to convert patch object to typed object: ${cause}`;
      assert.throws(() => mergeConfiguration(object, patch, type), { message });
    };
    refused({ nope: 1 }, '.nope: field not declared in schema');
    refused({ data: 1 }, '.data: expected map, got &{1}');
    refused(
      { metadata: { labels: { a: 1 } } },
      '.metadata.labels.a: expected string, got &value.valueUnstructured{Value:1}',
    );
  });

  it('fails for an object that does not match the type', () => {
    assert.throws(() => mergeConfiguration({ ...object, data: { a: ['x'] } }, { data: { b: '2' } }, type), {
      message:
        'failed to convert original object to typed object: .data.a: expected string, got &value.valueUnstructured{Value:[]interface {}{"x"}}',
    });
  });

  it('refuses the replacement of atomic values', () => {
    assert.throws(() => mergeConfiguration(object, { atomic: ['a'] }, type), {
      message: 'invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .atomic',
    });
  });
});
