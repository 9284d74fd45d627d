import assert from 'node:assert/strict';
import { defaultListOptions, type ListOptions, type ResourceInfo, type TableConvertor } from '@apichain/apiserver';
import type { RequestContext } from '@apichain/request';
import { ComponentStatusStorage, UnhealthyComponent } from './component-statuses.ts';

describe('componentstatuses', () => {
  const kind = { group: '', version: 'v1', kind: 'ComponentStatus' };
  const info: ResourceInfo = {
    kind,
    listKind: 'ComponentStatusList',
    plural: 'componentstatuses',
    singular: 'componentstatus',
    shortNames: ['cs'],
    categories: [],
    namespaced: false,
  };
  const table: TableConvertor = { columns: [], row: () => ({ cells: [] }) };
  const storage = new ComponentStatusStorage(info, table, {
    scheduler: () => Promise.reject(new UnhealthyComponent('HTTP probe failed with statuscode: 500')),
    'etcd-0': () => Promise.resolve(),
    'etcd-1': () => Promise.reject(new Error('context deadline exceeded')),
  });
  const ctx = {} as RequestContext;
  const names = async (selectors: Partial<ListOptions>) => {
    return (await storage.list(ctx, { ...defaultListOptions, ...selectors })).items.map(({ key }) => key);
  };

  it('are selected by their names', async () => {
    const all = ['scheduler', 'etcd-0', 'etcd-1'];
    assert.deepEqual(await names({}), all);
    assert.deepEqual(await names({ fieldSelector: 'metadata.name=etcd-0' }), ['etcd-0']);
    assert.deepEqual(await names({ fieldSelector: 'metadata.name!=x', labelSelector: '!a' }), all);
    assert.deepEqual(await names({ labelSelector: 'a' }), []);
  });

  it('distinguish an unhealthy component from an unreachable one', async () => {
    const condition = async (name: string) => (await storage.get(ctx, name)) as unknown;
    const healthy = { type: 'Healthy', status: 'False' };
    const status = (name: string, said: object) => ({
      apiVersion: 'v1',
      kind: 'ComponentStatus',
      metadata: { name },
      conditions: [{ ...healthy, ...said }],
    });
    assert.deepEqual(
      await condition('scheduler'),
      status('scheduler', { message: 'HTTP probe failed with statuscode: 500' }),
    );
    assert.deepEqual(await condition('etcd-1'), status('etcd-1', { error: 'context deadline exceeded' }));
  });

  it('are not found by an unknown name', async () => {
    await assert.rejects(storage.get(ctx, 'x'), { message: 'componentstatus "x" not found', code: 404 });
  });
});
