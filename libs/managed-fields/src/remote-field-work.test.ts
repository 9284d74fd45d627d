import assert from 'node:assert/strict';
import { deepEqual, isStatusError, newUnknownError, parseJson, stringifyJson, type KubeObject } from '@apichain/meta';
import { decodeObject, type Field, type Type } from '@apichain/scheme';
import type { FieldManagerOptions } from './field-manager-options.ts';
import { FieldManager } from './field-manager.ts';
import { computeManagedFields } from './field-work.ts';
import type { RunFieldWork } from './remote-field-work.ts';

const string: Type = { kind: 'string' };
const makeObject = (fields: Record<string, Type>, name?: string): Type => {
  const list: Field[] = Object.entries(fields).map(([field, type]) => ({ name: field, type, omitempty: true }));
  const type: Type = { kind: 'object', fields: list, byName: new Map(list.map((field) => [field.name, field])) };
  return name === undefined ? type : { ...type, name };
};
const kindOf = (spec: Type, name?: string): Type =>
  makeObject({ apiVersion: string, kind: string, metadata: makeObject({ name: string, uid: string }), spec }, name);
const groupVersionKind = { group: 'example.com', version: 'v1', kind: 'Widget' };
const widget = (spec: object, apiVersion = 'example.com/v1'): KubeObject => ({
  apiVersion,
  kind: 'Widget',
  metadata: { name: 'x' },
  spec,
});

/** Runs the work here, with parts that crossed as bytes. */
const run: RunFieldWork = async (prepare) => {
  const parts = await computeManagedFields((await prepare()).map((part) => new Uint8Array(part)));
  return parts.map((part) => new Uint8Array(part));
};

const spec = makeObject({
  data: { kind: 'map', values: string },
  any: { kind: 'json' },
  list: { kind: 'array', listType: 'map', listMapKeys: ['k'], items: makeObject({ k: string, v: string }) },
});

describe('field management in another thread', () => {
  const manager = new FieldManager({ type: kindOf(spec), groupVersionKind, now: () => 0 });

  it('updates and applies as in this one', async () => {
    const created = await manager.updateRemotely(
      run,
      undefined,
      widget({ data: { a: 'b' }, list: [{ k: '1' }] }),
      'one',
    );
    assert.deepEqual(created, await manager.update(undefined, widget({ data: { a: 'b' }, list: [{ k: '1' }] }), 'one'));
    const live = { object: created };
    const configuration = widget({ data: { a: 'c' }, list: [{ k: '2', v: 'x' }] });
    const merged = await manager.apply(created, configuration, 'two', true);
    assert.deepEqual(await manager.applyRemotely(run, live, configuration, 'two', true), merged);
    const json = Buffer.from(stringifyJson(created));
    assert.deepEqual(await manager.applyRemotely(run, { object: created, json }, configuration, 'two', true), merged);
    const refusal = await manager.apply(created, configuration, 'two', false).catch((error: unknown) => error);
    assert.ok(isStatusError(refusal, 'Conflict'));
    await assert.rejects(manager.applyRemotely(run, live, configuration, 'two', false), { status: refusal.status });
  });

  it('returns the members of the live object if only managers have changed', async () => {
    const live = await manager.apply(undefined, widget({ data: { a: 'b' } }), 'one', false);
    const merged = await manager.applyRemotely(run, { object: live }, widget({ data: { a: 'b' } }), 'two', false);
    assert.equal(merged['spec'], live['spec']);
    assert.equal(merged.metadata.managedFields?.length, 2);
  });

  it('keeps what the text of a document does not show', async () => {
    const applied = {
      ...widget({}),
      spec: parseJson('{"any":{"whole":1.0,"large":1234567890123456789}}'),
    } as KubeObject;
    const merged = await manager.applyRemotely(run, undefined, applied, 'one', false);
    assert.deepEqual(merged, await manager.apply(undefined, applied, 'one', false));
    // Go's comparison tells an empty list in an item of an atomic list from an absent one.
    const item = makeObject({ values: { kind: 'array', items: string } }, 'example.Item');
    const type = kindOf(makeObject({ items: { kind: 'array', items: item } }, 'example.Spec'), 'example.Widget');
    const typed = new FieldManager({ type, groupVersionKind, now: () => 0 });
    const decode = (value: object) => ({
      ...widget({}),
      spec: decodeObject({ spec: value }, type).object['spec'],
    });
    const live = await typed.update(undefined, decode({ items: [{}] }), 'one');
    const updated = decode({ items: [{ values: [] }] });
    const expected = await typed.update(live, updated, 'two');
    assert.equal(expected.metadata.managedFields?.length, 1);
    assert.equal(expected.metadata.managedFields[0]?.manager, 'two');
    assert.deepEqual(await typed.updateRemotely(run, { object: live }, updated, 'two'), expected);
  });

  it('removes the managers of an object that is nested too deeply', async () => {
    let deep: unknown = 1;
    for (let i = 0; i < 9_000; i++) deep = { a: deep };
    const updated = await manager.updateRemotely(run, undefined, widget({ any: deep }), 'one');
    assert.equal(updated.metadata.managedFields, undefined);
  });

  it('rejects with what the other thread rejects with', async () => {
    const failing: RunFieldWork = () => Promise.reject(new Error('no thread'));
    await assert.rejects(manager.updateRemotely(failing, undefined, widget({}), 'one'), /no thread/);
  });

  describe('with versions', () => {
    const versions = new Map([
      ['example.com/v1', kindOf(makeObject({ old: string, other: string }))],
      ['example.com/v2', kindOf(makeObject({ renamed: string, other: string }))],
    ]);
    const rename = (object: KubeObject, apiVersion: string): KubeObject => {
      const { old, renamed = old, ...rest } = object['spec'] as Record<string, unknown>;
      return { ...object, apiVersion, spec: { ...rest, [apiVersion.endsWith('2') ? 'renamed' : 'old']: renamed } };
    };
    const managerOf = (version: string, convert: NonNullable<FieldManagerOptions['convert']>) =>
      new FieldManager({
        type: versions.get(`example.com/${version}`) ?? string,
        groupVersionKind: { ...groupVersionKind, version },
        versions,
        convert,
        now: () => 0,
      });
    const liveInV2 = async () => {
      const live = await managerOf('v1', rename).apply(undefined, widget({ old: 'a', other: 'b' }), 'one', false);
      return { object: rename(live, 'example.com/v2') };
    };
    const applied = widget({ renamed: 'z' }, 'example.com/v2');

    it('converts objects in this thread, and waits for conversions', async () => {
      const seen = await liveInV2();
      const expected = await managerOf('v2', rename).apply(seen.object, applied, 'two', true);
      assert.ok(!deepEqual(expected['spec'], seen.object['spec']));
      assert.deepEqual(await managerOf('v2', rename).applyRemotely(run, seen, applied, 'two', true), expected);
      let conversions = 0;
      const later = managerOf('v2', async (object, apiVersion) => {
        conversions++;
        return Promise.resolve(rename(object, apiVersion));
      });
      assert.deepEqual(await later.applyRemotely(run, seen, applied, 'two', true), expected);
      assert.ok(conversions > 0);
    });

    it('reports conversions that fail as in this thread', async () => {
      const seen = await liveInV2();
      const updated = { ...seen.object, spec: { renamed: 'y' } };
      for (const error of [new Error('no such version'), newUnknownError('webhook failed')]) {
        const failing = managerOf('v2', () => Promise.reject(error));
        const message = new RegExp(`${error.message}$`);
        await assert.rejects(failing.apply(seen.object, applied, 'two', true), message);
        await assert.rejects(failing.applyRemotely(run, seen, applied, 'two', true), message);
        assert.equal((await failing.update(seen.object, updated, 'two')).metadata.managedFields, undefined);
        assert.equal((await failing.updateRemotely(run, seen, updated, 'two')).metadata.managedFields, undefined);
      }
    });
  });
});
