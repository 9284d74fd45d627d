import assert from 'node:assert/strict';
import { LargeLists } from './large-lists.ts';
import { Places } from './places.ts';

const mebibytes = 1024 * 1024;

const newLists = () => new Places(() => new LargeLists());
/** Takes a place. Returns whether it has been given so far, and a function that gives it back. */
const take = (lists: ReturnType<typeof newLists>, user: string, cache?: { readonly replacedBytes: number }) => {
  const place = lists.take(user, cache);
  const state = { isReady: place.ready === undefined, release: () => place.release() };
  void place.ready?.then(() => (state.isReady = true));
  return state;
};
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('the large lists of a user', () => {
  it('from etcd are in memory one after the other', async () => {
    const lists = newLists();
    const [first, second, third] = [0, 1, 2].map(() => take(lists, 'a'));
    assert.ok(first !== undefined && second !== undefined && third !== undefined);
    const ofAnother = take(lists, 'b');
    assert.deepEqual([first.isReady, second.isReady, ofAnother.isReady], [true, false, true]);
    // The client of the second one goes away while it waits.
    second.release();
    first.release();
    await settled();
    assert.deepEqual([second.isReady, third.isReady], [false, true]);
    first.release();
    third.release();
    const next = take(lists, 'a');
    assert.ok(next.isReady);
    // A place that is given back again is not that of another list.
    third.release();
    assert.equal(take(lists, 'a').isReady, false);
  });

  it('from a cache are in memory together until much of it has been replaced', async () => {
    const lists = newLists();
    const cache = { replacedBytes: 0 };
    const old = take(lists, 'a', cache);
    cache.replacedBytes += 20 * mebibytes;
    const soon = take(lists, 'a', cache);
    cache.replacedBytes += 20 * mebibytes;
    const late = take(lists, 'a', cache);
    const ofAnotherCache = take(lists, 'a', { replacedBytes: 0 });
    assert.deepEqual([old.isReady, soon.isReady, late.isReady, ofAnotherCache.isReady], [true, true, false, true]);
    soon.release();
    await settled();
    assert.equal(late.isReady, false);
    old.release();
    await settled();
    assert.equal(late.isReady, true);
  });
});
