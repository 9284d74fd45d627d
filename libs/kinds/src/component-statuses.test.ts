import assert from 'node:assert/strict';
import type { ListOptions, RequestContext, ResourceInfo, TableConvertor } from '@apichain/apiserver';
import { ComponentStatusStorage } from './component-statuses.ts';

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
  const storage = new ComponentStatusStorage(info, table, { 'etcd-0': () => Promise.resolve() });
  const ctx = {} as RequestContext;
  const names = async (selectors: Partial<ListOptions>) => {
    const everything = { labelSelector: '', fieldSelector: '', resourceVersion: '', resourceVersionMatch: '' } as const;
    const options = { ...everything, limit: 0, continue: '', allowWatchBookmarks: false, ...selectors };
    return (await storage.list(ctx, options)).items.map(({ key }) => key);
  };

  it('show selectors nothing, not even their names', async () => {
    assert.deepEqual(await names({}), ['etcd-0']);
    assert.deepEqual(await names({ fieldSelector: 'metadata.name=etcd-0' }), []);
    assert.deepEqual(await names({ fieldSelector: 'metadata.name!=x', labelSelector: '!a' }), ['etcd-0']);
  });

  it('are not found by the name of one', async () => {
    await assert.rejects(storage.get(ctx, 'x'), { message: 'componentstatus "x" not found', code: 404 });
  });
});
