import assert from 'node:assert/strict';
import { deleteObject } from './delete-object.ts';
import type { GracefulDeleteOptions } from './strategy.ts';
import { defineWidgets, objectOf, refusedWith, testContext, widget } from './widgets.fixture.ts';

const ctx = testContext();

describe('deleting', () => {
  const create = async (store: ReturnType<typeof defineWidgets>['defined']['store'], finalizers: string[] = []) => {
    const object = { ...widget('a'), metadata: { name: 'a', ...(finalizers.length > 0 ? { finalizers } : {}) } };
    return objectOf(await store.create(ctx, object, { dryRun: false }));
  };

  it('returns a Success Status that names the deleted object', async () => {
    const { store } = defineWidgets().defined;
    const { metadata } = await create(store);
    const { result, deleted } = await deleteObject(store, ctx, 'a', {});
    assert.equal(deleted, true);
    assert.deepEqual(result, {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      details: { name: 'a', group: 'test.example.com', kind: 'widgets', uid: metadata.uid },
    });
    await assert.rejects(deleteObject(store, ctx, 'a', {}), refusedWith('NotFound', /not found/));
  });

  it('waits for finalizers and completes with the update that removes the last one', async () => {
    const { store } = defineWidgets().defined;
    await create(store, ['a.b/c']);
    const first = objectOf((await deleteObject(store, ctx, 'a', {})).result);
    assert.equal(first.metadata.deletionGracePeriodSeconds, 0);
    assert.equal(first.metadata.generation, 2);
    await assert.rejects(
      store.create(ctx, widget('a'), { dryRun: false }),
      refusedWith('AlreadyExists', /^object is being deleted: widgets/),
    );
    const again = objectOf((await deleteObject(store, ctx, 'a', {})).result);
    assert.equal(again.metadata.resourceVersion, first.metadata.resourceVersion);
    await store.update(
      ctx,
      'a',
      (current) => ({ ...widget('a'), metadata: { ...current?.metadata, finalizers: [] } }),
      { dryRun: false },
    );
    await assert.rejects(store.get(ctx, 'a', { resourceVersion: '' }), refusedWith('NotFound', /not found/));
  });

  it('uses a cached copy without a read when it is the live object', async () => {
    const { defined, storage } = defineWidgets();
    const { metadata } = await create(defined.store);
    const key = defined.store.key(ctx, 'a');
    storage.copies.set(key, await storage.get(key));
    const { reads } = storage;
    const { result, deleted } = await deleteObject(defined.store, ctx, 'a', {});
    assert.deepEqual([deleted, storage.reads], [true, reads]);
    assert.equal((objectOf(result)['details'] as { uid: string }).uid, metadata.uid);
    await assert.rejects(deleteObject(defined.store, ctx, 'a', {}), refusedWith('NotFound', /not found/));
  });

  it('does not use an outdated copy', async () => {
    const { defined, storage } = defineWidgets();
    const { store } = defined;
    const old = await create(store);
    const key = store.key(ctx, 'a');
    storage.copies.set(key, await storage.get(key));
    const kept = () => ({ ...widget('a'), metadata: { name: 'a', finalizers: ['a.b/c'] } });
    await store.update(ctx, 'a', kept, { dryRun: false });
    assert.equal((await deleteObject(store, ctx, 'a', {})).deleted, false);
    await store.update(ctx, 'a', () => widget('a'), { dryRun: false });

    const { metadata } = await create(store);
    assert.notEqual(metadata.uid, old.metadata.uid);
    const preconditions = { uid: metadata.uid ?? '' };
    assert.equal((await deleteObject(store, ctx, 'a', { preconditions })).deleted, true);
  });

  it('never parses the object in one step', async () => {
    const cases: readonly [string[], GracefulDeleteOptions][] = [
      [[], {}],
      [['a.b/c'], {}],
      [[], { dryRun: ['All'] }],
      [[], { propagationPolicy: 'Foreground' }],
    ];
    for (const [finalizers, options] of cases) {
      const { defined, storage } = defineWidgets();
      const { metadata } = await create(defined.store, finalizers);
      const before = storage.wholeReads;
      await deleteObject(defined.store, ctx, 'a', { ...options, preconditions: { uid: metadata.uid ?? '' } });
      assert.equal(storage.wholeReads, before);
    }
  });

  it('turns propagation policies into finalizers', async () => {
    for (const [options, finalizer] of [
      [{ propagationPolicy: 'Orphan' }, 'orphan'],
      [{ propagationPolicy: 'Foreground' }, 'foregroundDeletion'],
      [{ orphanDependents: true }, 'orphan'],
    ] as const) {
      const { store } = defineWidgets().defined;
      await create(store);
      const { result, deleted } = await deleteObject(store, ctx, 'a', { ...options });
      assert.equal(deleted, false);
      assert.deepEqual(objectOf(result).metadata.finalizers, [finalizer]);
    }
    const { store } = defineWidgets({ defaultGarbageCollectionPolicy: () => 'Unsupported' }).defined;
    await create(store);
    assert.equal((await deleteObject(store, ctx, 'a', { propagationPolicy: 'Orphan' })).deleted, true);
  });

  it('honours preconditions', async () => {
    const { store } = defineWidgets().defined;
    await create(store);
    await assert.rejects(
      deleteObject(store, ctx, 'a', { preconditions: { uid: 'other' } }),
      refusedWith(
        'Conflict',
        /on Widget\.test\.example\.com "a": the UID in the precondition \(other\) does not match/,
      ),
    );
    await assert.rejects(
      deleteObject(store, ctx, 'a', { preconditions: { resourceVersion: '1' } }),
      refusedWith('Conflict', /the ResourceVersion in the precondition \(1\) does not match/),
    );
  });

  it('sets the grace period, only shortens it, and deletes at zero', async () => {
    const { store } = defineWidgets({
      returnDeletedObject: true,
      checkGracefulDelete: (_ctx, _object, options) => {
        options.gracePeriodSeconds ??= 30;
        return true;
      },
    }).defined;
    await create(store);
    const first = objectOf((await deleteObject(store, ctx, 'a', {})).result);
    assert.equal(first.metadata.deletionGracePeriodSeconds, 30);
    const longer = objectOf((await deleteObject(store, ctx, 'a', { gracePeriodSeconds: 60 })).result);
    assert.equal(longer.metadata.resourceVersion, first.metadata.resourceVersion);
    const shorter = objectOf((await deleteObject(store, ctx, 'a', { gracePeriodSeconds: 5 })).result);
    assert.equal(shorter.metadata.deletionGracePeriodSeconds, 5);
    assert.equal((await deleteObject(store, ctx, 'a', { gracePeriodSeconds: 0 })).deleted, true);
  });

  it('adds the warnings of the kind, found or not, and once for a collection', async () => {
    const warned: string[] = [];
    const listening = { ...ctx, signal: ctx.signal, warn: (text: string) => warned.push(text) };
    const { store } = defineWidgets({ warningsOnDelete: () => ['gone'] }).defined;
    await assert.rejects(deleteObject(store, listening, 'a', {}), /not found/);
    assert.deepEqual(warned, ['gone']);
  });

  it('takes two steps for kinds that require them', async () => {
    const { store } = defineWidgets({
      beginDelete: (_ctx, object) => {
        if (object.metadata.deletionTimestamp !== undefined) return 'wait';
        object.metadata.deletionTimestamp = '2001-02-03T04:05:06Z';
        return 'mark';
      },
    }).defined;
    await create(store);
    const other = { preconditions: { uid: 'x' } };
    await assert.rejects(
      deleteObject(store, ctx, 'a', other),
      /Precondition failed: UID in precondition: x, UID in object meta: /,
    );
    const first = objectOf((await deleteObject(store, ctx, 'a', {})).result);
    assert.equal(first.metadata.deletionTimestamp, '2001-02-03T04:05:06Z');
    await assert.rejects(deleteObject(store, ctx, 'a', other), /Precondition failed: UID/);
    const second = objectOf((await deleteObject(store, ctx, 'a', {})).result);
    assert.equal(second.metadata.resourceVersion, first.metadata.resourceVersion);
  });
});
