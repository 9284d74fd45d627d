import assert from 'node:assert/strict';
import { mock } from 'node:test';
import fc from 'fast-check';
import { EncodedObject } from '@apichain/storage';
import { codec, configMap } from '@apichain/storage/store.fixture';
import { WatchCache } from './watch-cache.ts';

const stored = (name: string, revision: number) =>
  new EncodedObject(codec, `/d/${name}`, revision, codec.decode(codec.encode(configMap(name)), revision));

describe('WatchCache', () => {
  it('restores every revision in its history', () => {
    const change = fc.record({ name: fc.constantFrom('a', 'b', 'c', 'd'), remove: fc.boolean() });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
        const cache = new WatchCache([stored('a', 1)], 1);
        const states = [new Map([['/d/a', 1]])];
        changes.forEach(({ name, remove }, i) => {
          const revision = i + 2;
          cache.apply(`/d/${name}`, revision, remove ? undefined : stored(name, revision));
          const state = new Map(states.at(-1));
          if (remove) state.delete(`/d/${name}`);
          else state.set(`/d/${name}`, revision);
          states.push(state);
        });
        states.forEach((state, i) => {
          const tree = cache.at(i + 1);
          assert.ok(tree !== undefined);
          const actual = tree.toArray().map(([key, object]) => [key, object.revision]);
          assert.deepEqual(
            actual,
            [...state].toSorted(([a], [b]) => (a < b ? -1 : 1)),
          );
        });
      }),
      { numRuns: 50 },
    );
  });
  it('finds the objects with a value of an indexed field, and reads those of other servers only when it is asked', () => {
    const on = (name: string, node: string, revision: number) =>
      new EncodedObject(codec, `/d/${name}`, revision, codec.encode(configMap(name, { node })));
    const cache = new WatchCache([on('a', 'n1', 1), on('b', 'n1', 1)], 1, ['data.node']);
    const own = on('c', 'n1', 2);
    assert.equal(own.attributes.fields['data.node'], 'n1');
    cache.apply('/d/c', 2, own);
    cache.apply('/d/b', 3, on('b', 'n2', 3));
    cache.apply('/d/d', 4, on('d', 'n2', 4));
    cache.apply('/d/d', 5, undefined);
    const unread = () => [...cache.unindexed].filter(({ knowsAttributes }) => !knowsAttributes).map(({ key }) => key);
    assert.deepEqual(unread(), ['/d/a', '/d/b']);
    assert.deepEqual(cache.keysWith('data.node', 'n1'), ['/d/a', '/d/c']);
    assert.deepEqual(cache.keysWith('data.node', 'n2'), ['/d/b']);
    assert.deepEqual(unread(), []);
    cache.apply('/d/a', 6, on('a', 'n2', 6));
    cache.apply('/d/c', 7, undefined);
    assert.deepEqual(cache.keysWith('data.node', 'n1'), []);
    assert.deepEqual(cache.keysWith('data.node', 'n2'), ['/d/a', '/d/b']);
    assert.equal(cache.keysWith('metadata.name', 'a'), undefined);
  });
  it('tells recent revisions from those that etcd may have compacted, also when nothing changes', () => {
    const cache = new WatchCache([stored('a', 1)], 10);
    const begun = performance.now();
    cache.advance(20);
    cache.trim(begun + 1_000);
    assert.ok(cache.isRecent(10));
    cache.trim(begun + 100_000);
    assert.deepEqual(
      [10, 11, 20].map((revision) => cache.isRecent(revision)),
      [false, true, true],
    );
    cache.trim(begun + 200_000);
    assert.deepEqual(
      [20, 21].map((revision) => cache.isRecent(revision)),
      [false, true],
    );
  });
  it('drops history beyond its limits, and reports its first complete revision', () => {
    const limits = { minEvents: 2, maxEvents: 5, window: 60_000, maxBytes: 1e9 };
    const cache = new WatchCache([], 10, [], limits);
    for (let i = 11; i <= 20; i++) cache.apply('/d/a', i, stored('a', i));
    assert.equal(cache.floor, 15);
    assert.deepEqual(
      cache.since(15)?.map((event) => event.revision),
      [16, 17, 18, 19, 20],
    );
    assert.equal(cache.since(14), undefined);
    assert.equal(cache.at(14), undefined);
    mock.method(Date, 'now', () => Number.MAX_SAFE_INTEGER);
    try {
      cache.apply('/d/a', 21, stored('a', 21));
    } finally {
      mock.restoreAll();
    }
    assert.equal(cache.floor, 16, 'the clock of the machine may be set');
    cache.trim(performance.now() + 120_000);
    assert.equal(cache.floor, 19);
  });
});
