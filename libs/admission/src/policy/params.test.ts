import assert from 'node:assert/strict';
import type { KubeObject } from '@apichain/meta';
import { RestMapper } from '@apichain/rest-mapper';
import { CustomKinds, paramFinder } from './params.ts';

describe('parameters of policies', () => {
  const limits: KubeObject = {
    apiVersion: '',
    kind: '',
    metadata: { name: 'limits', managedFields: [{ manager: 'm', operation: 'Update', apiVersion: 'v1' }] },
  };
  const mapper = new RestMapper();
  mapper.add({
    group: '',
    version: 'v1',
    resource: 'configmaps',
    kind: 'ConfigMap',
    singular: 'configmap',
    scope: 'Namespaced',
  });
  const find = paramFinder({
    builtin: mapper,
    lookup: {
      get: () => Promise.resolve(limits),
      live: () => Promise.resolve(undefined),
      created: () => Promise.resolve(undefined),
      list: () => Promise.resolve([limits]),
    },
    custom: new CustomKinds(() => undefined),
  });

  it('have apiVersion and kind and, for built-in kinds, no managedFields', async () => {
    const seen = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'limits' } };
    const resource = await find('v1', 'ConfigMap');
    assert.deepEqual(await resource?.get('ns', 'limits'), seen);
    assert.deepEqual(await resource?.list('ns'), [seen]);
  });
});
