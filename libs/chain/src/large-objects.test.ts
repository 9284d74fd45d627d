import assert from 'node:assert/strict';
import { RestClient, type ResourceReference } from '@apichain/client';
import { isStatusError } from '@apichain/meta';
import { TestChains } from './chain.fixture.ts';

const configMaps: ResourceReference = { group: '', version: 'v1', resource: 'configmaps', namespace: 'default' };
const configMap = (name: string, data: Record<string, string>) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data,
});

describe('an object that fits into etcd only without its managedFields', () => {
  const chains = new TestChains();
  // Each key is stored in the data, and again in the managedFields.
  const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`${'key'.repeat(28)}-${i}`, 'A']));

  it('is created, updated and patched without them, and applied to no more', async () => {
    await chains.run(['--authorization-mode=AlwaysAllow'], async (chain) => {
      const client = new RestClient(chain.connect('test'));
      const created = await client.create(configMaps, configMap('created', many));
      assert.equal(created.metadata.managedFields, undefined);

      const small = await client.create(configMaps, configMap('updated', { k: 'v' }));
      assert.equal(small.metadata.managedFields?.length, 1);
      const updated = await client.update(configMaps, { ...small, data: many });
      assert.equal(updated.metadata.managedFields, undefined);
      assert.equal(Object.keys(updated['data'] as object).length, 10_000);

      await client.create(configMaps, configMap('patched', { k: 'v' }));
      const patched = await client.patch(configMaps, 'patched', 'merge', { data: many });
      assert.equal(patched.metadata.managedFields, undefined);
      assert.equal(Object.keys(patched['data'] as object).length, 10_001);

      await assert.rejects(
        client.patch(configMaps, 'updated', 'apply', configMap('updated', { more: 'A' }), {
          query: { fieldManager: 'test' },
        }),
        (error) => isStatusError(error) && /too large/.test(error.message),
      );
      assert.equal((await client.get(configMaps, 'updated')).metadata.managedFields, undefined);
    });
  });
});
