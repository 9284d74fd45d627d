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

  describe('of lists', () => {
    const items = makeObject({ name: string, value: string });
    const lists = makeObject({
      apiVersion: string,
      kind: string,
      metadata: makeObject({ name: string }),
      set: { kind: 'array', listType: 'set', items: string },
      map: { kind: 'array', listType: 'map', listMapKeys: ['name'], items },
    });

    const empty: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' } };

    it('adds the items that are new, in order, and merges the others', () => {
      const live = { ...empty, set: ['a', 'b'], map: [{ name: 'x', value: '1' }, { name: 'y' }] };
      const merged = mergeConfiguration(
        live,
        { set: ['c', 'b', 'd'], map: [{ name: 'z' }, { name: 'x', value: '2' }] },
        lists,
      );
      assert.deepEqual(merged['set'], ['a', 'b', 'c', 'd']);
      assert.deepEqual(merged['map'], [{ name: 'x', value: '2' }, { name: 'y' }, { name: 'z' }]);
    });

    it('finds the items of long lists with an index', () => {
      const count = 2_000;
      let reads = 0;
      const named = () =>
        Array.from({ length: count }, (_, i) => ({
          get name() {
            reads++;
            return `n${i}`;
          },
        }));
      const merged = mergeConfiguration({ ...empty, map: named() }, { map: named().reverse() }, lists);
      assert.equal((merged['map'] as unknown[]).length, count);
      assert.ok(reads < 100 * count, `${reads} reads of ${count} names`);
    });
  });
});
