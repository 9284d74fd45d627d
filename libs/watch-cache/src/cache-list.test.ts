import assert from 'node:assert/strict';
import { finish, type Work } from '@apichain/meta';
import { everything, type StoredList, EncodedObject, readingAttributes } from '@apichain/storage';
import { codec } from '@apichain/storage/store.fixture';
import { findingWithoutAttributes, listingFromCache, type CacheListRequest } from './cache-list.ts';
import { WatchCache } from './watch-cache.ts';

const root = '/pods/';
const count = 5_000;
const keyOf = (i: number): string => `${root}default/p${String(i).padStart(5, '0')}`;
const objectOf = (i: number, revision: number): EncodedObject =>
  new EncodedObject(codec, keyOf(i), revision, Buffer.from('{}'), {
    name: `p${String(i)}`,
    namespace: 'default',
    labels: {},
    fields: { 'spec.nodeName': 'n1' },
  });

describe('listingFromCache', () => {
  const cacheOf = () =>
    new WatchCache(
      Array.from({ length: count }, (_, i) => objectOf(i, 1)),
      1,
      ['spec.nodeName'],
    );
  const request = (cache: WatchCache, more: Partial<CacheListRequest> = {}, limit = 0): CacheListRequest => ({
    cache,
    root,
    directory: root,
    plan: { freshness: { kind: 'any' }, limit, start: '', continued: false },
    predicate: everything,
    ...more,
  });

  /** Runs the list, with a change of the cache between every two steps. */
  function listBesideChanges(cache: WatchCache, work: Work<StoredList | undefined>) {
    let revision = cache.revision;
    let steps = 1;
    for (let step = work.next(); ; step = work.next(), steps++) {
      if (step.done === true) return { list: step.value ?? assert.fail('no list'), steps };
      revision++;
      cache.apply(keyOf(count - steps), revision, steps % 2 === 0 ? undefined : objectOf(count - steps, revision));
      cache.apply(`${keyOf(count)}-${String(steps)}`, ++revision, objectOf(count, revision));
    }
  }

  const revisions = ({ items }: StoredList) => new Set(items.map(({ revision }) => revision));

  it('shows one state, however the cache changes between its steps', () => {
    const cache = cacheOf();
    const { list, steps } = listBesideChanges(cache, listingFromCache(request(cache), 1));
    assert.ok(steps > 3, String(steps));
    assert.equal(list.items.length, count);
    assert.deepEqual([list.revision, revisions(list)], [1, new Set([1])]);
  });

  it('shows one state of the objects that an index finds', () => {
    const cache = cacheOf();
    const predicate = { matches: () => true, everything: false, exactFields: { 'spec.nodeName': 'n1' } };
    const { list, steps } = listBesideChanges(cache, listingFromCache(request(cache, { predicate }), 1));
    assert.ok(steps > 3, String(steps));
    assert.equal(list.items.length, count);
    assert.deepEqual(revisions(list), new Set([1]));
  });

  it('keeps the state of a page for the next ones', () => {
    const cache = cacheOf();
    const limit = 3_000;
    const { list } = listBesideChanges(cache, listingFromCache(request(cache, {}, limit), 1));
    assert.equal(list.items.length, limit);
    assert.equal(list.remainingItemCount, count - limit);
    const plan = {
      freshness: { kind: 'exact', revision: 1 },
      limit,
      start: `default/p0${String(limit)}`,
      continued: true,
    } as const;
    const next = listBesideChanges(cache, listingFromCache(request(cache, { plan }), 1)).list;
    assert.deepEqual([next.items.length, next.continue, revisions(next)], [count - limit, undefined, new Set([1])]);
  });

  it('reads only the objects that have the name of a list of all namespaces', () => {
    const cache = new WatchCache(
      ['a/x', 'a/y', 'b/x'].map((name) => {
        const [namespace = '', of = ''] = name.split('/');
        const json = Buffer.from(
          `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"${of}","namespace":"${namespace}"}}`,
        );
        return new EncodedObject(codec, root + name, 1, json);
      }),
      1,
      [],
    );
    const predicate = {
      matches: ({ name }: { readonly name: string }) => name === 'x',
      everything: false,
      exactFields: { 'metadata.name': 'x' },
    };
    for (const limit of [0, 1]) {
      const list = request(cache, { predicate }, limit);
      const unread = finish(findingWithoutAttributes(list));
      if (limit === 0)
        assert.deepEqual(
          unread.map(({ key }) => key),
          [`${root}a/x`, `${root}b/x`],
        );
      finish(readingAttributes(unread));
      const { items = [] } = finish(listingFromCache(list, 1)) ?? {};
      assert.deepEqual(
        items.map(({ key }) => key),
        [`${root}a/x`, `${root}b/x`].slice(0, limit === 0 ? 2 : 1),
      );
    }
    const others = [...cache.current.values()].filter(({ knowsAttributes }) => !knowsAttributes);
    assert.deepEqual(
      others.map(({ key }) => key),
      [`${root}a/y`],
    );
  });

  it('reads what the index is going to read in steps before it, in other namespaces, too', () => {
    const objects = ['a/x', 'b/x'].map(
      (name) => new EncodedObject(codec, root + name, 1, Buffer.from('{"kind":"Pod","apiVersion":"v1","metadata":{}}')),
    );
    const cache = new WatchCache(objects, 1, ['data.node']);
    const predicate = { matches: () => true, everything: false, exactFields: { 'data.node': 'n1' } };
    const unread = finish(findingWithoutAttributes({ ...request(cache, { predicate }), directory: `${root}a/` }));
    assert.deepEqual(new Set(unread.map(({ key }) => key)), new Set([`${root}a/x`, `${root}b/x`]));
  });
});
