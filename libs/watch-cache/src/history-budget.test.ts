import assert from 'node:assert/strict';
import { EncodedObject } from '@apichain/storage';
import { codec, configMap } from '@apichain/storage/store.fixture';
import { HistoryBudget } from './history-budget.ts';
import { WatchCache } from './watch-cache.ts';

const kilobytes = 100;

const stored = (name: string, revision: number) => {
  const object = { ...configMap(name), data: { large: 'x'.repeat(kilobytes * 1000) } };
  return new EncodedObject(codec, `/d/${name}`, revision, codec.decode(codec.encode(object), revision));
};

/** Changes one object so many times. */
const change = (cache: WatchCache, times: number) => {
  const first = cache.revision + 1;
  for (let revision = first; revision < first + times; revision++) cache.apply('/d/a', revision, stored('a', revision));
};
const historyOf = (cache: WatchCache) => cache.revision - cache.floor;

describe('the histories of several resources', () => {
  it('lose the oldest events of the largest of them when they are too large together', () => {
    const budget = new HistoryBudget(50 * kilobytes * 1000);
    const caches = Array.from({ length: 5 }, () => new WatchCache([stored('a', 1)], 1, [], undefined, budget));
    for (const cache of caches) change(cache, 30);
    const kept = caches.map(historyOf);
    const sum = kept.reduce((total, events) => total + events, 0);
    assert.ok(sum > 40 && sum <= 50, `${kept.join(', ')} events`);
    assert.ok(
      kept.every((events) => events >= 5),
      `${kept.join(', ')} events`,
    );
  });

  it('leave the room of a closed one to the others', () => {
    const budget = new HistoryBudget(20 * kilobytes * 1000);
    const [closed, other] = [0, 1].map(() => new WatchCache([stored('a', 1)], 1, [], undefined, budget));
    assert.ok(closed !== undefined && other !== undefined);
    change(closed, 15);
    closed.close();
    change(other, 30);
    assert.ok(historyOf(other) >= 18, `${historyOf(other)} events`);
  });

  it('keep states for the pages of lists as long as the events since then, and no longer', () => {
    const limits = { minEvents: 2, maxEvents: 1000, window: 60_000, maxBytes: 10 * kilobytes * 1000 };
    const cache = new WatchCache([stored('a', 1)], 1, [], limits);
    change(cache, 5);
    const { revision } = cache;
    cache.keepSnapshot(revision, cache.current);
    change(cache, 5);
    assert.equal(cache.at(revision)?.get('/d/a')?.revision, revision);
    change(cache, 10);
    assert.equal(cache.at(revision), undefined);
  });
});
