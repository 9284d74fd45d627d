import assert from 'node:assert/strict';
import { Places, Sum, LargeLists, type Place } from './places.ts';

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('Places', () => {
  let places: Places<number>;
  let sum: Sum;
  let admitted: string[];
  beforeEach(() => {
    places = new Places(() => (sum = new Sum(100)));
    admitted = [];
  });
  const take = (owner: string, bytes: number, name: string): Place => {
    const place = places.take(owner, bytes);
    if (place.ready === undefined) admitted.push(name);
    else void place.ready.then(() => admitted.push(name));
    return place;
  };

  it('are held by requests up to the limit', () => {
    take('alice', 50, '1');
    take('alice', 50, '2');
    take('alice', 1, '3');
    assert.deepEqual(admitted, ['1', '2']);
    assert.equal(sum.held, 100);
  });
  it('are given to a single request of any size', async () => {
    const small = take('alice', 10, 'small');
    const large = take('alice', 1_000, 'large');
    take('alice', 10, 'next');
    assert.deepEqual(admitted, ['small']);
    small.release();
    await settled();
    assert.deepEqual(admitted, ['small', 'large']);
    large.release();
    await settled();
    assert.deepEqual(admitted, ['small', 'large', 'next']);
  });
  it('of one owner delay no other', () => {
    for (let i = 0; i < 24; i++) take('alice', 90, `a${i}`);
    take('bob', 90, 'b');
    assert.deepEqual(admitted, ['a0', 'b']);
  });
  it('go to those who wait in their order', async () => {
    const all = Array.from({ length: 5 }, (_, i) => take('alice', 100, String(i)));
    for (const place of all) {
      place.release();
      await settled();
    }
    assert.deepEqual(admitted, ['0', '1', '2', '3', '4']);
    assert.equal(sum.held, 0);
  });
  it('are not given to those who have left the line', async () => {
    const [first, second, third] = [take('alice', 100, '1'), take('alice', 100, '2'), take('alice', 50, '3')];
    second.release();
    second.release();
    first.release();
    first.release();
    await settled();
    assert.deepEqual(admitted, ['1', '3']);
    assert.equal(sum.held, 50);
    third.release();
    assert.equal(sum.held, 0);
  });
});

const mebibytes = 1024 * 1024;

const newLists = () => new Places(() => new LargeLists());
/** Takes a place. Returns whether it has been given so far, and a function that gives it back. */
const take = (lists: ReturnType<typeof newLists>, user: string, cache?: { readonly replacedBytes: number }) => {
  const place = lists.take(user, cache);
  const state = { isReady: place.ready === undefined, release: () => place.release() };
  void place.ready?.then(() => (state.isReady = true));
  return state;
};
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

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
    await nextTurn();
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
    await nextTurn();
    assert.equal(late.isReady, false);
    old.release();
    await nextTurn();
    assert.equal(late.isReady, true);
  });
});
