import assert from 'node:assert/strict';
import { isStatusError, type JsonObject, type KubeObject } from '@apichain/meta';
import type { Field, Type } from '@apichain/scheme';
import { FieldManager } from './field-manager.ts';

const string: Type = { kind: 'string' };
const labels: Type = { kind: 'map', values: string };

const makeObject = (fields: Record<string, Type>, more: Partial<Type> = {}): Type => {
  const list: Field[] = Object.entries(fields).map(([name, type]) => ({ name, type }));
  return { kind: 'object', fields: list, byName: new Map(list.map((field) => [field.name, field])), ...more };
};

const item = makeObject({ k: string, v: string, p: { kind: 'integer', default: 80 } });
const widget = makeObject({
  apiVersion: string,
  kind: string,
  metadata: makeObject({ name: string, namespace: string, uid: string, labels, annotations: labels }),
  spec: makeObject({
    n: { kind: 'integer' },
    set: { kind: 'array', items: string, listType: 'set' },
    map: { kind: 'array', items: item, listType: 'map', listMapKeys: ['k', 'p'] },
    atomic: { kind: 'array', items: string },
    amap: makeObject({ x: string, y: string }, { mapType: 'atomic' }),
    free: { kind: 'object', preserveUnknownFields: true },
    labels,
  }),
  status: makeObject({ s: string }),
});

const groupVersionKind = { group: 'example.com', version: 'v1', kind: 'Widget' };
const object = (spec: object, more: object = {}): KubeObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name: 'x' },
  spec,
  ...more,
});

describe('FieldManager', () => {
  let now = Date.parse('2026-01-01T00:00:00Z');
  const manager = new FieldManager({ type: widget, groupVersionKind, now: () => now });
  const setsOf = (o: KubeObject): Record<string, JsonObject | undefined> =>
    Object.fromEntries((o.metadata.managedFields ?? []).map((entry) => [entry.manager ?? '', entry.fieldsV1]));
  beforeEach(() => {
    now = Date.parse('2026-01-01T00:00:00Z');
  });

  it('keeps the order of members that clients wrote', async () => {
    const spec = { n: 1, map: [{ k: 'a', p: 443 }, { k: 'a' }, { k: 'b' }], set: ['x', 'y'] };
    const created = await manager.update(undefined, object(spec), 'm');
    const turned = (value: unknown): unknown =>
      value instanceof Object
        ? Object.fromEntries(
            Object.entries(value)
              .reverse()
              .map(([key, member]) => [key, turned(member)]),
          )
        : value;
    const entries = created.metadata.managedFields?.map((entry) => ({
      ...entry,
      fieldsV1: turned(entry.fieldsV1) as JsonObject,
    }));
    assert.notEqual(JSON.stringify(entries), JSON.stringify(created.metadata.managedFields));
    const metadata = { ...created.metadata, managedFields: entries ?? [] };
    const updated = await manager.update(created, { ...created, metadata }, 'm');
    assert.equal(JSON.stringify(updated.metadata.managedFields), JSON.stringify(created.metadata.managedFields));
  });

  it('tracks a created object', async () => {
    const created = await manager.update(
      undefined,
      object({ n: 1, map: [{ k: 'a' }], set: ['x'], atomic: ['y'] }),
      'm',
    );
    assert.deepEqual(created.metadata.managedFields, [
      {
        manager: 'm',
        operation: 'Update',
        apiVersion: 'example.com/v1',
        time: '2026-01-01T00:00:00Z',
        fieldsType: 'FieldsV1',
        fieldsV1: {
          'f:spec': {
            '.': {},
            'f:atomic': {},
            'f:map': { '.': {}, 'k:{"k":"a","p":80}': { '.': {}, 'f:k': {} } },
            'f:n': {},
            'f:set': { '.': {}, 'v:"x"': {} },
          },
        },
      },
    ]);
  });

  it('moves a field to the manager that changes it, and keeps times without a change', async () => {
    const created = await manager.update(undefined, object({ n: 1, labels: { a: 'b' } }), 'one');
    now += 60_000;
    assert.deepEqual(await manager.update(created, structuredClone(created), 'two'), created);
    const updated = await manager.update(created, { ...created, spec: { n: 2, labels: { a: 'b' } } }, 'two');
    assert.deepEqual(setsOf(updated), {
      one: { 'f:spec': { '.': {}, 'f:labels': { '.': {}, 'f:a': {} } } },
      two: { 'f:spec': { 'f:n': {} } },
    });
    assert.deepEqual(
      updated.metadata.managedFields?.map((entry) => entry.time),
      ['2026-01-01T00:00:00Z', '2026-01-01T00:01:00Z'],
    );
  });

  it('merges the oldest of more than ten updaters', async () => {
    let current = await manager.update(undefined, object({ labels: {} }), 'm0');
    for (let i = 1; i <= 12; i++) {
      now += 1000;
      current = await manager.update(current, { ...current, spec: { labels: { ...labelsOf(i) } } }, `m${i}`);
    }
    const names = current.metadata.managedFields?.map((entry) => entry.manager) ?? [];
    assert.equal(names.length, 10);
    assert.equal(names[0], 'ancient-changes');
  });

  it('resets on [] and [{}] and does not track the object again until an apply', async () => {
    const created = { ...object({ n: 1 }), metadata: { name: 'x', uid: 'u' } };
    const tracked = await manager.update(undefined, { ...created, metadata: { name: 'x' } }, 'm');
    for (const managedFields of [[], [{}]]) {
      const live = { ...tracked, metadata: { ...tracked.metadata, uid: 'u' } };
      const reset = await manager.update(live, { ...live, metadata: { ...live.metadata, managedFields } }, 'm');
      assert.equal(reset.metadata.managedFields, undefined);
      assert.equal((await manager.update(reset, { ...reset, spec: { n: 2 } }, 'm')).metadata.managedFields, undefined);
    }
  });

  it('applies, conflicts, forces, and prunes fields without an owner', async () => {
    const first = await manager.apply(undefined, object({ n: 1, map: [{ k: 'a', v: '1' }] }), 'one', false);
    assert.deepEqual(first['spec'], { n: 1, map: [{ k: 'a', v: '1' }] });
    await assert.rejects(manager.apply(first, object({ n: 2, map: [{ k: 'a', v: '2' }] }), 'two', false), (error) => {
      assert.ok(isStatusError(error, 'Conflict'));
      assert.equal(
        error.status.message,
        'Apply failed with 2 conflicts: conflicts with "one":\n- .spec.n\n- .spec.map[k="a",p=80].v',
      );
      assert.deepEqual(error.status.details?.causes?.[0], {
        reason: 'FieldManagerConflict',
        message: 'conflict with "one"',
        field: '.spec.n',
      });
      return true;
    });
    const forced = await manager.apply(first, object({ n: 2 }), 'two', true);
    assert.deepEqual(forced['spec'], { n: 2, map: [{ k: 'a', v: '1' }] });
    const less = await manager.apply(forced, object({}), 'one', false);
    assert.deepEqual(less['spec'], { n: 2 });
    assert.deepEqual(setsOf(less), { one: { 'f:spec': {} }, two: { 'f:spec': { 'f:n': {} } } });
  });

  it('keeps an empty map that another manager owns or lists after its last entry is removed', async () => {
    const first = await manager.apply(undefined, object({ labels: { a: '1' }, free: { b: { c: 1 } } }), 'a', false);
    const emptied = await manager.apply(first, object({ labels: {}, free: { b: {} } }), 'a', false);
    assert.deepEqual(emptied['spec'], { labels: {}, free: { b: {} } });
    const shared = await manager.apply(first, object({ labels: {}, free: {} }), 'b', false);
    assert.deepEqual((await manager.apply(shared, object({}), 'a', false))['spec'], { labels: {}, free: {} });
  });

  it('assigns an untracked object to before-first-apply', async () => {
    const live = { ...object({ n: 1 }), metadata: { name: 'x', uid: 'u' } };
    await assert.rejects(
      manager.apply(live, object({ n: 2 }), 'one', false),
      /conflict with "before-first-apply" using example.com\/v1: .spec.n/,
    );
  });

  it('tracks no manager for an object that does not match its type', async () => {
    const changed = new FieldManager({ type: widget, groupVersionKind, typeHasChanged: true });
    const live = { ...(await manager.update(undefined, object({ n: 1 }), 'm')), spec: { n: 'one' } };
    for (const spec of [{ n: 'one', set: ['x'] }, { n: 2 }])
      assert.equal((await changed.update(live, { ...live, spec }, 'm')).metadata.managedFields, undefined);
    await assert.rejects(
      changed.apply(object({ n: 'one' }), object({ set: ['x'] }), 'm', true),
      /^StatusError: failed to create manager for existing fields: failed to convert new object \(\/x; .* to smd typed: .spec.n: expected numeric/,
    );
  });

  it('refuses configurations that do not match the type', async () => {
    const cases: [object, string][] = [
      [{ spec: { set: 'x' } }, '.spec.set: expected list, got &{x}'],
      [{ spec: { bogus: 1 } }, '.spec.bogus: field not declared in schema'],
      [{ spec: 'string' }, '.spec: expected map, got &{string}'],
      [{ spec: { labels: { a: 1e20 } } }, '.spec.labels.a: expected string, got &value.valueUnstructured{Value:1e+20}'],
      [{ spec: 1e20 }, '.spec: expected map, got &{1e+20}'],
      [{ spec: { labels: { a: 5 } } }, '.spec.labels.a: expected string, got &value.valueUnstructured{Value:5}'],
      [{ spec: { map: [{ k: 'b' }, { k: 'b' }] } }, '.spec.map: duplicate entries for key [k="b",p=80]'],
      [
        { spec: { map: [{ k: { n: ['x', 1], m: true } }] } },
        `.spec.map[k=m=truen=["x",1],p=80].k: expected string, got &value.valueUnstructured{Value:map[string]interface {}{"m":true, "n":[]interface {}{"x", 1}}}`,
      ],
    ];
    for (const [more, text] of cases) {
      await assert.rejects(manager.apply(undefined, object({}, more), 'm', false), (error) => {
        assert.ok(isStatusError(error));
        assert.equal(error.code, 500);
        assert.equal(
          error.status.message,
          `failed to create typed patch object (/x; example.com/v1, Kind=Widget): ${text}`,
        );
        return true;
      });
    }
    await assert.rejects(
      manager.apply(undefined, { ...object({}), kind: 'Other' }, 'm', false),
      /invalid object type: example.com\/v1, Kind=Other/,
    );
    await assert.rejects(
      manager.apply(undefined, { ...object({}), apiVersion: 'a/b/c' }, 'm', false),
      /invalid object type: \/, Kind=$/,
    );
    await assert.rejects(
      manager.apply(undefined, { ...object({}), metadata: { name: 'x', managedFields: [] } }, 'm', false),
      /metadata.managedFields must be nil/,
    );
  });

  it('never owns fields that the endpoint resets', async () => {
    const main = new FieldManager({ type: widget, groupVersionKind, resetFields: ['status'] });
    const created = await main.update(undefined, object({ n: 1 }, { status: { s: 'x' } }), 'm');
    assert.deepEqual(setsOf(created), { m: { 'f:spec': { '.': {}, 'f:n': {} } } });
    const applied = await main.apply(undefined, object({ n: 1 }, { status: { s: 'x' } }), 'm', false);
    assert.deepEqual(setsOf(applied), { m: { 'f:spec': { 'f:n': {} } } });
  });

  it('treats missing keys that a Go struct always writes as empty', async () => {
    const fields: Field[] = [
      { name: 'name', type: string },
      { name: 'more', type: string, omitempty: true },
    ];
    const items: Type = { kind: 'object', name: 'test.v1.Item', fields };
    const list = (listMapKeys: string[]): Type => ({ kind: 'array', items, listType: 'map', listMapKeys });
    const spec: Type = makeObject({ named: list(['name']), optional: list(['more']) }, { name: 'test.v1.Spec' });
    const type = makeObject(
      { apiVersion: string, kind: string, metadata: makeObject({ name: string }), spec },
      { name: 'test.v1.Widget' },
    );
    const go = new FieldManager({ type, groupVersionKind });
    const applied = await go.apply(undefined, object({ named: [{ more: 'x' }] }), 'm', false);
    assert.deepEqual(setsOf(applied), {
      m: { 'f:spec': { 'f:named': { 'k:{"name":""}': { '.': {}, 'f:more': {} } } } },
    });
    await assert.rejects(
      go.apply(undefined, object({ named: [{}, {}] }), 'm', false),
      /duplicate entries for key \[name=""\]/,
    );
    await assert.rejects(
      go.apply(undefined, object({ optional: [{}] }), 'm', false),
      /omits all key fields \["more"\]/,
    );
  });

  it('cannot track or merge sets of objects', async () => {
    const sets: Type = { kind: 'array', items: makeObject({ a: string }), listType: 'set' };
    const type = makeObject({
      apiVersion: string,
      kind: string,
      metadata: makeObject({ name: string }),
      spec: makeObject({ sets, n: string }),
    });
    const custom = new FieldManager({ type, groupVersionKind });
    const created = await custom.update(undefined, object({ sets: [{ a: 'x' }] }), 'm');
    assert.equal(created.metadata.managedFields, undefined);
    const problem = ".spec.sets: element 0: associative list without keys has an element that's a map type";
    const apply = (live: KubeObject) => custom.apply(live, object({ n: '1' }), 'm', false);
    const message = `failed to create manager for existing fields: failed to convert new object (/x; example.com/v1, Kind=Widget) to smd typed: ${problem}`;
    await assert.rejects(apply(created), { message });
    const { managedFields } = (await custom.update(undefined, object({ n: '2' }), 'm')).metadata;
    await assert.rejects(apply({ ...created, metadata: { ...created.metadata, managedFields } }), {
      message: `failed to create typed live object (/x; example.com/v1, Kind=Widget): ${problem}`,
    });
  });

  it('accepts keys that are names of Object.prototype', async () => {
    const hostile: unknown = JSON.parse('{"constructor":"1","__proto__":"2","toString":"3"}');
    const created = await manager.update(undefined, object({ labels: hostile }), 'm');
    assert.deepEqual(Object.keys(labelsSetOf(created)), ['.', 'f:__proto__', 'f:constructor', 'f:toString']);
  });

  const labelsSetOf = (o: KubeObject): JsonObject => {
    const spec = setsOf(o)['m']?.['f:spec'];
    assert.ok(typeof spec === 'object' && spec !== null && !Array.isArray(spec));
    const set = spec['f:labels'];
    assert.ok(typeof set === 'object' && set !== null && !Array.isArray(set));
    return set;
  };
});

const labelsOf = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`l${i}`, 'v']));
