import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { BoundedCache } from './bounded-cache.ts';

describe('BoundedCache', () => {
  it('drops the entries that were set first when there are too many', () => {
    const cache = new BoundedCache<number>({ maxEntries: 2 });
    cache.set('a', 1);
    cache.set('b', 2);
    cache.set('a', 3);
    cache.set('c', 4);
    assert.deepEqual([cache.get('a'), cache.get('b'), cache.get('c'), cache.size], [3, undefined, 4, 2]);
  });

  it('drops entries when their keys are too long together', () => {
    const cache = new BoundedCache<number>({ maxEntries: 1_000, maxCharacters: 1_000 });
    for (let at = 100; at < 300; at++) cache.set(`1234567${at}`, at);
    assert.equal(cache.size, 100);
    assert.equal(cache.get('1234567299'), 299);
    assert.equal(cache.get('1234567199'), undefined);
    cache.delete('1234567299');
    cache.set('a', 1);
    assert.equal(cache.size, 100);
    cache.clear();
    for (let at = 100; at < 200; at++) cache.set(`1234567${at}`, at);
    assert.equal(cache.size, 100);
  });

  it('does not keep a key that is long by itself', () => {
    const cache = new BoundedCache<number>({ maxEntries: 1_000, maxCharacters: 1_000 });
    cache.set('a', 1);
    cache.set('12345678901', 2);
    assert.deepEqual([cache.get('12345678901'), cache.get('a')], [undefined, 1]);
  });

  it('counts values that say how large they are', () => {
    const cache = new BoundedCache<number>({ maxEntries: 1_000, maxCharacters: 1_000 });
    for (let at = 0; at < 500; at++) cache.set(String(at), at, 7);
    assert.equal(cache.size, 100);
    cache.set('large', 1, 10);
    assert.equal(cache.get('large'), undefined);
    for (let at = 0; at < 500; at++) cache.delete(String(at));
    for (let at = 0; at < 500; at++) cache.set(`12345678${at % 100}`, at);
    assert.equal(cache.size, 100);
  });

  it('does not keep the text of which a key is a part', () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const heap = () => {
      collectGarbage();
      return process.memoryUsage().heapUsed;
    };
    const cache = new BoundedCache<number>({ maxEntries: 1_000 });
    const before = heap();
    for (let at = 0; at < 50; at++) {
      const whole = Buffer.alloc(1 << 20, `a text of its own: ${at} `).toString();
      cache.set(whole.slice(0, 40), at);
    }
    assert.equal(cache.size, 50);
    const kept = heap() - before;
    assert.ok(kept < 10 << 20, `${kept} bytes`);
  });
});
