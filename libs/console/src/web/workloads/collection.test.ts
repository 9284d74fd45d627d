import assert from 'node:assert/strict';
import { Collection } from './collection.ts';
import { EventLog, eventOf } from './event.ts';

describe('what the page holds', () => {
  it('is what the newest list has', () => {
    const held = new Collection<number>();
    const listed = (...keys: readonly string[]) => {
      held.beginList();
      for (const key of keys) held.list(key, 1);
      held.endList(0);
    };
    listed('a', 'b');
    held.put('c', 2, true);
    held.delete('a');
    assert.deepEqual([...held.items.keys()], ['b', 'c']);
    listed('c', 'd');
    assert.deepEqual([...held.items.keys()], ['c', 'd']);
  });

  it('has a bound, beyond which objects are counted', () => {
    const held = new Collection<number>(2);
    held.beginList();
    for (const key of ['a', 'b', 'c']) held.list(key, 1);
    assert.equal(held.hasRoom, false);
    held.endList(5);
    held.put('d', 1, true);
    held.put('e', 1, false);
    assert.deepEqual([[...held.items.keys()], held.more], [['a', 'b'], 6]);
    held.put('a', 2, false);
    assert.deepEqual([held.items.get('a'), held.more], [2, 6]);
    held.delete('d');
    held.delete('a');
    assert.deepEqual([held.items.size, held.more], [1, 5]);
    held.put('e', 1, false);
    assert.deepEqual([[...held.items.keys()], held.more], [['b', 'e'], 4]);
    // A new list has room for as many again.
    held.beginList();
    for (const key of ['x', 'y']) held.list(key, 1);
    held.endList(0);
    assert.deepEqual([[...held.items.keys()], held.more], [['x', 'y'], 0]);
  });

  it('is the newest events, by time, and by arrival within a second', () => {
    const log = new EventLog(3);
    const event = (name: string, time: object) => eventOf({ metadata: { name, uid: name }, ...time });
    log.put(event('new', { lastTimestamp: '2030-01-01T00:02:00Z' }));
    for (let i = 0; i < 20; i++) log.put(event(`old-${i}`, { lastTimestamp: '2030-01-01T00:00:00Z' }));
    log.put(event('micro', { eventTime: '2030-01-01T00:01:00.123456Z' }));
    log.put(event('first', { lastTimestamp: '2030-01-01T00:01:00Z' }));
    log.put(
      event('series', {
        eventTime: '2030-01-01T00:00:00.5Z',
        series: { count: 4, lastObservedTime: '2030-01-01T00:03:00Z' },
      }),
    );
    assert.deepEqual(
      log.newest.map(({ key, count }) => [key, count]),
      [
        ['series', 4],
        ['new', 1],
        ['first', 1],
      ],
    );
    log.delete('series');
    assert.deepEqual(
      log.newest.map(({ key }) => key),
      ['new', 'first'],
    );
  });
});
