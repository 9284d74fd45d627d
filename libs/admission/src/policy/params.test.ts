import assert from 'node:assert/strict';
import type { KubeObject } from '@apichain/meta';
import { paramFinder } from './params.ts';

describe('parameters of policies', () => {
  const limits: KubeObject = {
    apiVersion: '',
    kind: '',
    metadata: { name: 'limits', managedFields: [{ manager: 'm', operation: 'Update', apiVersion: 'v1' }] },
  };
  const find = paramFinder({
    builtin: () => ({ resource: { group: '', resource: 'configmaps' }, namespaced: true }),
    lookup: {
      get: () => Promise.resolve(limits),
      live: () => Promise.resolve(undefined),
      list: () => Promise.resolve([limits]),
    },
    client: () => undefined,
  });

  it('say what they are and, of a built-in kind, not who manages them', async () => {
    const seen = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'limits' } };
    const resource = await find('v1', 'ConfigMap');
    assert.deepEqual(await resource?.get('ns', 'limits'), seen);
    assert.deepEqual(await resource?.list('ns'), [seen]);
  });
});
