import assert from 'node:assert/strict';
import { FieldManager } from '@apichain/managed-fields';
import { isStatusError, type KubeObject } from '@apichain/meta';
import { inRequest } from '@apichain/request/in-request.fixture';
import type { Type } from '@apichain/scheme';
import { WorkerPool } from '@apichain/worker-pool';
import { makeWorkers } from '../workers.ts';
import { applyManagedFields, updateManagedFields } from './managed-fields.ts';

const type: Type = { kind: 'object', fields: [], byName: new Map(), preserveUnknownFields: true };
const groupVersionKind = { group: 'example.com', version: 'v1', kind: 'Widget' };
const manager = new FieldManager({ type, groupVersionKind, now: () => 0 });
const options = { fieldManager: 'm', force: false };
const widget = (keys: number): KubeObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name: 'x' },
  data: Object.fromEntries(Array.from({ length: keys }, (_, i) => [`k${i}`, 'v'])),
});

describe('managed fields of a request', () => {
  it('are computed in this thread for small objects', async () => {
    const pool = makeWorkers();
    assert.ok(pool !== undefined);
    await inRequest(pool, () => updateManagedFields(manager, undefined, widget(100), 'm'));
    await inRequest(pool, () => applyManagedFields(manager, undefined, widget(100), options));
    assert.equal(pool.threads, 0);
  });

  it('are computed in a worker thread for large objects, with the same result', async () => {
    const pool = makeWorkers();
    const large = widget(20_000);
    const live = { object: await manager.update(undefined, large, 'm') };
    assert.deepEqual(await inRequest(pool, () => updateManagedFields(manager, undefined, large, 'm')), live.object);
    assert.equal(pool?.threads, 1);
    const merged = await inRequest(pool, () => applyManagedFields(manager, live, large, options));
    assert.deepEqual(merged, await manager.apply(live.object, large, 'm', false));
  });

  it('are computed in this thread if there is no other', async () => {
    const updated = await inRequest(undefined, () => updateManagedFields(manager, undefined, widget(20_000), 'm'));
    assert.equal(updated.metadata.managedFields?.length, 1);
    assert.equal(
      (await updateManagedFields(manager, undefined, widget(20_000), 'm')).metadata.managedFields?.length,
      1,
    );
  });

  it('fail their request with a Status if the thread fails', async () => {
    const pool = new WorkerPool({ program: new URL('./missing.ts', import.meta.url) });
    const work = () => updateManagedFields(manager, undefined, widget(20_000), 'm');
    await assert.rejects(inRequest(pool, work), (error: unknown) => isStatusError(error, 'InternalError'));
  });
});
