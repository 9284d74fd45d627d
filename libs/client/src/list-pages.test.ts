import assert from 'node:assert/strict';
import { newNotFound, StatusError } from '@apichain/meta';
import { listInPages, type ReadPage } from './list-pages.ts';
import type { ObjectList, Query } from './rest-client.ts';

const listOf = (names: readonly string[], resourceVersion: string, next?: string): ObjectList => ({
  apiVersion: 'v1',
  kind: 'PodList',
  metadata: { resourceVersion, ...(next === undefined ? {} : { continue: next }) },
  items: names.map((name) => ({ metadata: { name } })) as ObjectList['items'],
});

const expired = new StatusError({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: 'expired',
  reason: 'Expired',
  code: 410,
});

/** Gives the answers in turn, and keeps the queries. */
function reader(...answers: readonly (ObjectList | Error)[]): { readonly read: ReadPage; readonly queries: Query[] } {
  const left = [...answers];
  const queries: Query[] = [];
  const read: ReadPage = async (query, onSize) => {
    queries.push(query);
    const next = left.shift();
    if (next === undefined || next instanceof Error) throw next ?? new Error('asked too often');
    onSize(1_000_000);
    return next;
  };
  return { read, queries };
}

describe('listInPages', () => {
  it('joins the pages, whose objects get the type of the list', async () => {
    const { read, queries } = reader(listOf(['a', 'b'], '5', 'token'), listOf(['c'], '5'));
    const { objects, resourceVersion } = await listInPages(read);
    assert.deepEqual(queries, [{ limit: 20 }, { limit: 16, continue: 'token' }]);
    assert.deepEqual(
      objects.map(({ apiVersion, kind, metadata }) => [apiVersion, kind, metadata.name]),
      ['a', 'b', 'c'].map((name) => ['v1', 'Pod', name]),
    );
    assert.equal(resourceVersion, '5');
  });

  it('reads everything at once when the revision of the pages has been compacted', async () => {
    const { read, queries } = reader(listOf(['a', 'b'], '5', 'token'), expired, listOf(['b', 'c'], '9'));
    const { objects, resourceVersion } = await listInPages(read);
    assert.deepEqual(queries.at(-1), {});
    assert.deepEqual(
      objects.map(({ metadata }) => metadata.name),
      ['b', 'c'],
    );
    assert.equal(resourceVersion, '9');
  });

  it('fails with any other error', async () => {
    const missing = newNotFound({ group: '', resource: 'pods' }, 'a');
    await assert.rejects(listInPages(reader(listOf(['a'], '5', 'token'), missing).read), missing);
    await assert.rejects(listInPages(reader(listOf(['a'], '5', 'token'), expired, expired).read), expired);
  });
});
