import assert from 'node:assert/strict';
import { isStatusError, newNotFound, newServiceUnavailable, type StatusError } from '@apichain/meta';
import { ClientTokenObjects } from './object-lookup.ts';

const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'a', namespace: 'ns' } };

describe('the objects that tokens speak of', () => {
  const readWith = (failure: StatusError) => {
    const asked: unknown[] = [];
    const objects = new ClientTokenObjects();
    objects.start({
      get: (_ref, _name, query) => {
        asked.push(query);
        return query === undefined ? Promise.reject(failure) : Promise.resolve(account);
      },
      patch: () => Promise.resolve(account),
    });
    return { asked, read: objects.get('serviceaccounts', 'ns', 'a') };
  };

  it('come from the watch cache while the store is away', async () => {
    const { read } = readWith(newServiceUnavailable('etcd is away'));
    assert.equal(await read, account);
  });

  it('are gone when the store says so', async () => {
    const { asked, read } = readWith(newNotFound({ group: '', resource: 'serviceaccounts' }, 'a'));
    await assert.rejects(read, (error) => isStatusError(error, 'NotFound'));
    assert.deepEqual(asked, [undefined]);
  });
});
