import assert from 'node:assert/strict';
import type { KubeObject } from '@apichain/meta';
import { StoredResource } from './resource-storage.ts';
import { defineWidgets, objectOf, testContext, widget, widgetKind } from './widgets.fixture.ts';

const ctx = testContext();
const options = { dryRun: false, fieldManager: '', fieldValidation: 'Warn' } as const;

function widgets(): { readonly resource: StoredResource; readonly read: (name: string) => Promise<KubeObject> } {
  const { defined } = defineWidgets();
  const resource = defined.storagesOf(widgetKind).find((storage) => storage instanceof StoredResource);
  assert.ok(resource !== undefined);
  return {
    resource,
    read: async (name) => objectOf(await defined.store.get(ctx, name, { resourceVersion: '' })),
  };
}

const spoil = (object: KubeObject): Promise<void> => {
  object.metadata.labels = { spoilt: 'yes' };
  object.spec = 'spoilt';
  return Promise.resolve();
};

describe('validating admission', () => {
  it('gets a copy of an object that is created', async () => {
    const { resource, read } = widgets();
    const object = widget('a', { spec: { color: 'red' } });
    await resource.create(ctx, 'a', object, { ...options, validateCreate: spoil });
    const { metadata, spec } = await read('a');
    assert.deepEqual([metadata.labels, spec], [undefined, { color: 'red' }]);
  });

  it('gets copies of both objects of an update', async () => {
    const { resource, read } = widgets();
    await resource.create(ctx, 'a', widget('a', { spec: { color: 'red' } }), options);
    const update = () => widget('a', { spec: { color: 'blue' } });
    const validateUpdate = async (object: KubeObject, old: KubeObject) => {
      assert.deepEqual([object.spec, old.spec], [{ color: 'blue' }, { color: 'red' }]);
      await spoil(object);
      await spoil(old);
    };
    await resource.update(ctx, 'a', update, { ...options, forceAllowCreate: false, validateUpdate });
    const { metadata, spec } = await read('a');
    assert.deepEqual([metadata.labels, spec, metadata.generation], [undefined, { color: 'blue' }, 2]);
  });

  it('gets a copy of an object that is deleted', async () => {
    const { resource, read } = widgets();
    const object = widget('a', { spec: { color: 'red' } });
    object.metadata.finalizers = ['example.com/kept'];
    await resource.create(ctx, 'a', object, options);
    await resource.delete(ctx, 'a', {}, spoil);
    const { metadata, spec } = await read('a');
    assert.deepEqual([metadata.labels, spec], [undefined, { color: 'red' }]);
    assert.notEqual(metadata.deletionTimestamp, undefined);
  });
});
