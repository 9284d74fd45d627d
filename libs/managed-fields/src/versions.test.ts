import assert from 'node:assert/strict';
import { isRecord, type KubeObject, type ManagedFieldsEntry } from '@apichain/meta';
import type { Field, Type } from '@apichain/scheme';
import { FieldManager } from './field-manager.ts';

const string: Type = { kind: 'string' };
const makeObject = (fields: Record<string, Type>): Type => {
  const list: Field[] = Object.entries(fields).map(([name, type]) => ({ name, type }));
  return { kind: 'object', fields: list, byName: new Map(list.map((field) => [field.name, field])) };
};
const makeKind = (spec: Record<string, Type>): Type =>
  makeObject({ apiVersion: string, kind: string, metadata: makeObject({ name: string }), spec: makeObject(spec) });

/** In v2, `old` is called `renamed`. */
const types: Record<string, Type> = {
  'example.com/v1': makeKind({ old: string, other: string }),
  'example.com/v2': makeKind({ renamed: string, other: string }),
};

function convert(object: KubeObject, apiVersion: string): KubeObject {
  const spec = isRecord(object['spec']) ? object['spec'] : {};
  const { old, renamed, ...rest } = spec;
  const value = old ?? renamed;
  const name = apiVersion === 'example.com/v2' ? 'renamed' : 'old';
  return { ...object, apiVersion, spec: value === undefined ? rest : { ...rest, [name]: value } };
}

const optionsOf = (version: string) => ({
  type: types[`example.com/${version}`] ?? string,
  groupVersionKind: { group: 'example.com', version, kind: 'Widget' },
  versions: new Map(Object.entries(types)),
  now: () => 0,
});
const object = (version: string, spec: object): KubeObject => ({
  apiVersion: `example.com/${version}`,
  kind: 'Widget',
  metadata: { name: 'x' },
  spec,
});
const setsOf = (o: KubeObject) =>
  o.metadata.managedFields?.map(({ manager, apiVersion, fieldsV1 }) => [manager, apiVersion, fieldsV1]);

describe('managers in several versions', () => {
  const v1 = new FieldManager({ ...optionsOf('v1'), convert });

  it('lose fields that another version changes under another name', async () => {
    const v2 = new FieldManager({ ...optionsOf('v2'), convert });
    const live = await v1.apply(undefined, object('v1', { old: 'a', other: 'b' }), 'one', false);
    const seen = convert(live, 'example.com/v2');
    await assert.rejects(
      v2.apply(seen, object('v2', { renamed: 'z' }), 'two', false),
      /conflict with "one": .spec.old/,
    );
    const forced = await v2.apply(seen, object('v2', { renamed: 'z' }), 'two', true);
    assert.deepEqual(setsOf(forced), [
      ['one', 'example.com/v1', { 'f:spec': { 'f:other': {} } }],
      ['two', 'example.com/v2', { 'f:spec': { 'f:renamed': {} } }],
    ]);
  });

  it('are pruned in the version in which they applied last', async () => {
    const v2 = new FieldManager({ ...optionsOf('v2'), convert });
    const live = await v1.apply(undefined, object('v1', { old: 'a', other: 'b' }), 'one', false);
    const moved = await v2.apply(convert(live, 'example.com/v2'), object('v2', { other: 'b' }), 'one', false);
    assert.deepEqual(moved['spec'], { other: 'b' });
    assert.deepEqual(setsOf(moved), [['one', 'example.com/v2', { 'f:spec': { 'f:other': {} } }]]);
  });

  it('need one conversion of an object to each version', async () => {
    const asked: string[] = [];
    const counting = new FieldManager({
      ...optionsOf('v2'),
      convert: async (from, apiVersion) => {
        asked.push(`${JSON.stringify(from['spec'])} to ${apiVersion}`);
        return Promise.resolve(convert(from, apiVersion));
      },
    });
    const live = convert(await v1.update(undefined, object('v1', { old: 'a' }), 'one'), 'example.com/v2');
    await counting.update(live, { ...live, spec: { renamed: 'z' } }, 'two');
    assert.deepEqual(asked, ['{"renamed":"a"} to example.com/v1', '{"renamed":"z"} to example.com/v1']);
  });

  it('are removed when their version is no longer served', async () => {
    const lone = new FieldManager({ ...optionsOf('v2'), versions: new Map() });
    const live = convert(await v1.update(undefined, object('v1', { old: 'a' }), 'one'), 'example.com/v2');
    assert.equal((await lone.update(live, { ...live }, 'two')).metadata.managedFields, undefined);
  });

  it('fail an apply when the object cannot be converted to their version', async () => {
    const live = object('v1', { old: 'a' });
    const withManager = (apiVersion: string): KubeObject => {
      const entry: ManagedFieldsEntry = {
        manager: 'm',
        operation: 'Update',
        apiVersion,
        time: '2026-01-01T00:00:00Z',
        fieldsType: 'FieldsV1',
      };
      return {
        ...live,
        metadata: { name: 'x', managedFields: [{ ...entry, fieldsV1: { 'f:spec': { 'f:old': {} } } }] },
      };
    };
    const narrow: Record<string, Type> = { ...types, 'example.com/v3': makeKind({ other: string }) };
    const fields = new FieldManager({
      ...optionsOf('v1'),
      hub: { group: 'example.com', version: 'v2', kind: 'Widget' },
      versions: new Map(Object.entries(narrow)),
      convert: (from, apiVersion) => ({ ...from, apiVersion }),
    });
    for (const [apiVersion, message] of [
      ['example.com/v9', 'request to convert CR to an invalid group/version: example.com/v9'],
      ['v1', 'example.com/v2, Kind=Widget is unstructured and is not suitable for converting to "v1"'],
      ['a/b/c', 'unexpected GroupVersion string: a/b/c'],
      ['example.com/v3', '.spec.old: field not declared in schema'],
    ] as const) {
      const managed = withManager(apiVersion);
      await assert.rejects(fields.apply(managed, object('v1', { old: 'b' }), 'two', true), { message, code: 500 });
      const updated = await fields.update(managed, { ...managed, spec: { old: 'b' } }, 'two');
      assert.equal(updated.metadata.managedFields, undefined);
    }
    const owned = withManager('example.com/v3');
    await assert.rejects(fields.apply({ ...owned, spec: {} }, object('v1', { old: 'b' }), 'two', true), {
      message: 'failed to convert new object: .spec.old: field not declared in schema',
    });
  });
});
