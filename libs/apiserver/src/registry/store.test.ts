import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { deepClone, isWholeFloat, parseJson, type KubeObject } from '@apichain/meta';
import { RequestAudit } from '@apichain/request';
import type { RequestContext } from '@apichain/request';
import { deleteObject } from './delete-object.ts';
import { defineWidgets, objectOf, refusedWith, testContext, widget, widgetCodec } from './widgets.fixture.ts';

const ctx = testContext();

describe('RegistryStore', () => {
  it('sets uid, creation time and namespace, and keeps fields that the strategy sets', async () => {
    const { store } = defineWidgets().defined;
    const { metadata } = objectOf(await store.create(ctx, widget('a'), { dryRun: false }));
    assert.match(metadata.uid ?? '', /^[0-9a-f-]{36}$/);
    assert.match(metadata.creationTimestamp ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    assert.equal(metadata.namespace, 'ns');
    assert.equal(metadata.generation, 1);
    assert.notEqual(metadata.resourceVersion, undefined);
  });

  it('generates names and refuses existing ones', async () => {
    const { store } = defineWidgets().defined;
    const object: KubeObject = { ...widget(''), metadata: { generateName: 'a-' } };
    const { metadata } = objectOf(await store.create(ctx, object, { dryRun: false }));
    assert.match(metadata.name ?? '', /^a-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    await assert.rejects(
      store.create(ctx, widget(metadata.name ?? ''), { dryRun: false }),
      refusedWith('AlreadyExists', /^widgets\.test\.example\.com "a-.*" already exists$/),
    );
  });

  it('passes the given object to checks, with and without generateName', async () => {
    const { store } = defineWidgets().defined;
    const seen: boolean[] = [];
    const validate = (object: KubeObject): Promise<void> => {
      seen.push(isWholeFloat(object.spec as object, 'ratio'));
      return Promise.resolve();
    };
    for (const metadata of [{ name: 'f' }, { generateName: 'f-' }]) {
      const spec = parseJson('{"ratio":1.0}');
      await store.create(ctx, { ...widget(''), metadata, spec }, { dryRun: false, validate });
    }
    assert.deepEqual(seen, [true, true]);
  });

  it('refuses a resourceVersion on create', async () => {
    const { store } = defineWidgets().defined;
    const object = { ...widget('a'), metadata: { name: 'a', resourceVersion: '5' } };
    await assert.rejects(store.create(ctx, object, { dryRun: false }), /resourceVersion should not be set/);
    const beyond = { ...widget('b'), metadata: { name: 'b', resourceVersion: '99999999999999999999' } };
    assert.equal(objectOf(await store.create(ctx, beyond, { dryRun: false })).metadata.name, 'b');
  });

  it('measures the latency of the store alone', async () => {
    const { store } = defineWidgets().defined;
    const spent = async (work: (ctx: RequestContext) => Promise<unknown>) => {
      const audit = new RequestAudit('Metadata');
      const start = performance.now();
      await work({ ...ctx, track: audit.track });
      return { inStore: audit.latencies.get('etcd') ?? 0, inAll: performance.now() - start };
    };
    const pause = () => delay(30);
    const created = await spent((audited) => store.create(audited, widget('a'), { dryRun: false, validate: pause }));
    const slowly = async () => {
      await pause();
      return widget('a', { spec: { color: 'red' } });
    };
    const updated = await spent((audited) => store.update(audited, 'a', slowly, { dryRun: false }));
    const read = await spent((audited) => store.get(audited, 'a', { resourceVersion: '' }));
    const deleted = await spent((audited) => deleteObject(store, audited, 'a', {}, pause));
    for (const { inStore } of [created, updated, read, deleted]) assert.ok(inStore > 0);
    for (const { inStore, inAll } of [created, updated, deleted]) assert.ok(inAll - inStore >= 29);
  });

  it('writes nothing on a dry run', async () => {
    const { defined, storage } = defineWidgets();
    const made = objectOf(await defined.store.create(ctx, widget('a'), { dryRun: true }));
    assert.equal(made.metadata.resourceVersion, undefined);
    assert.notEqual(made.metadata.uid, undefined);
    assert.equal(storage.writes, 0);
    await defined.store.create(ctx, widget('a'), { dryRun: false });
    const change = (current: KubeObject | undefined) => ({
      ...deepClone(current ?? widget('a')),
      spec: { color: 'red' },
    });
    const { result } = await defined.store.update(ctx, 'a', change, { dryRun: true });
    assert.deepEqual(objectOf(result).spec, { color: 'red' });
    await deleteObject(defined.store, ctx, 'a', { dryRun: ['All'] });
    assert.equal((await defined.store.get(ctx, 'a', { resourceVersion: '' })).parse().spec, undefined);
  });

  it('returns a dry run of a create in the given version', async () => {
    const { store } = defineWidgets({ allowCreateOnUpdate: true }).defined;
    const given = () => ({ ...widget('a'), metadata: { name: 'a', resourceVersion: '0' } });
    const made = await store.create(ctx, given(), { dryRun: true });
    assert.equal(objectOf(made).metadata.resourceVersion, '0');
    const { result } = await store.update(ctx, 'a', given, { dryRun: true });
    assert.equal(objectOf(result).metadata.resourceVersion, '0');
  });

  it('returns a dry run with the decorations of a read', async () => {
    const complete = (object: KubeObject): KubeObject =>
      Object.keys(object['status'] ?? {}).length > 0 ? object : { ...object, status: { phase: 'Pending' } };
    const { defined } = defineWidgets({ readDefaults: { mayLack: () => true, complete } });
    const shown = async (status?: object) =>
      objectOf(await defined.store.create(ctx, widget('a', { status }), { dryRun: true }))['status'];
    assert.deepEqual(await shown(), { phase: 'Pending' });
    assert.deepEqual(await shown({}), { phase: 'Pending' });
    assert.deepEqual(await shown({ phase: 'Bound' }), { phase: 'Bound' });
  });

  it('updates, keeps system fields, and increments the generation for the spec only', async () => {
    const { store } = defineWidgets().defined;
    const made = objectOf(await store.create(ctx, widget('a'), { dryRun: false }));
    const { result } = await store.update(ctx, 'a', () => widget('a', { spec: { color: 'red' } }), { dryRun: false });
    const updated = objectOf(result);
    assert.equal(updated.metadata.uid, made.metadata.uid);
    assert.equal(updated.metadata.creationTimestamp, made.metadata.creationTimestamp);
    assert.equal(updated.metadata.generation, 2);
    const labelled = await store.update(
      ctx,
      'a',
      () => ({ ...widget('a', { spec: { color: 'red' } }), metadata: { name: 'a', labels: { x: 'y' } } }),
      { dryRun: false },
    );
    assert.equal(objectOf(labelled.result).metadata.generation, 2);
  });

  it('writes nothing when nothing changes', async () => {
    const { defined, storage } = defineWidgets();
    const made = objectOf(await defined.store.create(ctx, widget('a'), { dryRun: false }));
    const { result } = await defined.store.update(ctx, 'a', () => widget('a'), { dryRun: false });
    assert.equal(objectOf(result).metadata.resourceVersion, made.metadata.resourceVersion);
    assert.equal(storage.writes, 1);
  });

  it('keeps the times of managers when a built-in kind gets an empty list', async () => {
    const managed = (time: string, rules: unknown): KubeObject => ({
      ...widget('a', { rules }),
      metadata: { name: 'a', managedFields: [{ manager: 'm', operation: 'Update', time }] },
    });
    for (const custom of [true, false]) {
      const { defined } = defineWidgets({}, {}, { ...widgetCodec, custom });
      await defined.store.create(ctx, managed('2026-01-01T00:00:00Z', null), { dryRun: false });
      const later = managed('2026-01-01T00:00:09Z', []);
      const { result } = await defined.store.update(ctx, 'a', () => later, { dryRun: false });
      const [entry] = objectOf(result).metadata.managedFields ?? [];
      assert.equal(entry?.time, custom ? '2026-01-01T00:00:09Z' : '2026-01-01T00:00:00Z');
    }
  });

  it('refuses stale versions, other uids and invalid versions', async () => {
    const { store } = defineWidgets().defined;
    await store.create(ctx, widget('a'), { dryRun: false });
    const withVersion = (resourceVersion: string) => () => ({
      ...widget('a'),
      metadata: { name: 'a', resourceVersion },
    });
    await assert.rejects(
      store.update(ctx, 'a', withVersion('1'), { dryRun: false }),
      refusedWith('Conflict', /the object has been modified/),
    );
    await assert.rejects(
      store.update(ctx, 'a', withVersion('abc'), { dryRun: false }),
      /strconv.ParseUint: parsing "abc"/,
    );
    await assert.rejects(
      store.update(ctx, 'a', () => widget('a'), { dryRun: false, uid: 'other' }),
      refusedWith('Conflict', /StorageError: invalid object, Code: 4, Key: \/registry.*UID in precondition: other/),
    );
    const unasked = () => assert.fail('preconditions come first');
    for (const dryRun of [false, true]) {
      await assert.rejects(
        store.update(ctx, 'a', unasked, { dryRun, resourceVersion: '77' }),
        refusedWith('Conflict', /Precondition failed: ResourceVersion in precondition: 77, ResourceVersion in object/),
      );
    }
  });

  it('checks the uid of an update of an absent object only where the update may create it', async () => {
    const unasked = () => assert.fail('preconditions come first');
    const allowing = defineWidgets({ allowCreateOnUpdate: true }).defined.store;
    await assert.rejects(
      allowing.update(ctx, 'none', unasked, { dryRun: false, uid: 'u' }),
      refusedWith('Conflict', /Key: \/registry\/.*\/none, .* UID in precondition: u, UID in object meta: $/),
    );
    await assert.rejects(
      allowing.update(ctx, 'none', unasked, { dryRun: true, uid: 'u' }),
      refusedWith('Conflict', /Key: \/test.example.com\/widgets\/ns\/none, /),
    );
    const { store } = defineWidgets().defined;
    for (const dryRun of [false, true]) {
      await assert.rejects(
        store.update(ctx, 'none', unasked, { dryRun, uid: 'u' }),
        refusedWith('NotFound', /"none" not found/),
      );
      await assert.rejects(
        store.update(ctx, 'none', unasked, { dryRun, uid: 'u', forceAllowCreate: true }),
        refusedWith('Conflict', /UID in precondition: u/),
      );
    }
  });

  it('requires a version when unconditional updates are not allowed', async () => {
    const { store } = defineWidgets({ allowUnconditionalUpdate: false }).defined;
    await store.create(ctx, widget('a'), { dryRun: false });
    await assert.rejects(
      store.update(ctx, 'a', () => widget('a'), { dryRun: false }),
      refusedWith(
        'Invalid',
        /^widgets\.test\.example\.com "a" is invalid: metadata\.resourceVersion: Invalid value: 0: must be/,
      ),
    );
  });

  it('creates on update only where the strategy or the request allows it', async () => {
    const refusing = defineWidgets().defined.store;
    await assert.rejects(
      refusing.update(ctx, 'a', () => widget('a'), { dryRun: false }),
      refusedWith('NotFound', /widgets\.test\.example\.com "a" not found/),
    );
    const forced = await refusing.update(ctx, 'a', () => widget('a'), { dryRun: false, forceAllowCreate: true });
    assert.equal(forced.created, true);
    const allowing = defineWidgets({ allowCreateOnUpdate: true }).defined.store;
    assert.equal((await allowing.update(ctx, 'a', () => widget('a'), { dryRun: false })).created, true);
  });

  it('loses no update of 64 concurrent writers', async () => {
    const { store } = defineWidgets().defined;
    await store.create(ctx, widget('a', { spec: { count: 0 } }), { dryRun: false });
    const increment = (current: KubeObject | undefined) => {
      const object = deepClone(current ?? widget('a'));
      const { count } = object.spec as { count: number };
      return { ...object, spec: { count: count + 1 } };
    };
    await Promise.all(Array.from({ length: 64 }, () => store.update(ctx, 'a', increment, { dryRun: false })));
    assert.deepEqual((await store.get(ctx, 'a', { resourceVersion: '' })).parse().spec, { count: 64 });
  });

  it('checks the rights that a new object needs before its version', async () => {
    const checkUpdate = () => Promise.reject(new Error('not yours'));
    const { store } = defineWidgets({ checkUpdate, allowCreateOnUpdate: true }).defined;
    await store.create(ctx, widget('a'), { dryRun: false });
    const stale = (name: string, resourceVersion: string) => () => ({
      ...widget(name),
      metadata: { name, resourceVersion },
    });
    await assert.rejects(store.update(ctx, 'a', stale('a', '1'), { dryRun: false }), /not yours/);
    await assert.rejects(store.update(ctx, 'b', stale('b', 'abc'), { dryRun: false }), /not yours/);
  });

  it('reverts beginCreate and beginUpdate when the write fails', async () => {
    const finished: boolean[] = [];
    const { store } = defineWidgets({
      beginCreate: () => Promise.resolve((ok) => void finished.push(ok)),
    }).defined;
    await store.create(ctx, widget('a'), { dryRun: false });
    await assert.rejects(store.create(ctx, widget('a'), { dryRun: false }));
    assert.deepEqual(finished, [true, false]);
  });
});
