import assert from 'node:assert/strict';
import { violations, type History, type Read, type Seen, type Write } from './history.ts';

const write = (number: number, revision: number, outcome: Write['outcome'] = 'acknowledged'): Write => ({
  object: 'a',
  number,
  started: number * 10,
  ended: number * 10 + 5,
  outcome,
  revision,
});
const seen = (number: number, revision: number): Seen => ({ object: 'a', number, revision });
const read = (started: number, revision: number, number: number, object?: string): Read => ({
  ...(object === undefined ? {} : { object }),
  started,
  revision,
  numbers: new Map([['a', number]]),
});
const good: History = {
  writes: [write(1, 11), write(2, 0, 'unknown'), write(3, 0, 'refused'), write(4, 14)],
  reads: [read(16, 11, 1), read(17, 12, 2, 'a'), read(46, 14, 4)],
  watches: [
    [seen(1, 11), seen(2, 12), seen(4, 14)],
    [seen(1, 11), seen(2, 12), seen(4, 14)],
  ],
  relists: [],
  final: new Map([['a', 4]]),
};
const wrong = (change: Partial<History>) => violations({ ...good, ...change }).join('\n');

describe('the history checker', () => {
  it('accepts a correct history, with a write of unknown outcome that succeeded', () => {
    assert.deepEqual(violations(good), []);
  });
  it('finds a lost acknowledged write', () => {
    assert.match(wrong({ final: new Map([['a', 2]]) }), /lost/);
  });
  it('finds a repeated write', () => {
    const twice = [seen(1, 11), seen(2, 12), seen(2, 13), seen(4, 14)];
    assert.match(wrong({ watches: [twice, twice] }), /twice/);
    assert.match(wrong({ writes: [write(1, 11), write(2, 0, 'refused')] }), /made twice/);
  });
  it('finds a stale read', () => {
    assert.match(wrong({ reads: [read(46, 13, 4)] }), /stale/);
    assert.match(wrong({ reads: [read(46, 14, 2)] }), /stale/);
    assert.match(wrong({ reads: [read(46, 13, 2, 'a')] }), /stale/);
  });
  it('finds a list of no single moment', () => {
    assert.match(wrong({ reads: [read(16, 13, 1)] }), /list of 13 shows a number 1, which had number 2 then/);
    assert.match(wrong({ reads: [read(1, 12, 4)] }), /list of 12 shows a number 4, which had number 2 then/);
    assert.match(
      wrong({ reads: [{ started: 1, revision: 12, numbers: new Map() }] }),
      /shows a number 0, which had number 2/,
    );
  });
  it('finds a watch with a gap, a repetition or another order', () => {
    const [first = []] = good.watches;
    assert.match(wrong({ watches: [first, [seen(1, 11), seen(2, 12)]] }), /never received a number 4: a gap/);
    assert.match(wrong({ watches: [first, [seen(1, 11), seen(4, 14)]] }), /2 of 3 changes/);
    assert.match(wrong({ watches: [first, [seen(2, 12), seen(1, 11), seen(4, 14)]] }), /after 12/);
    assert.match(wrong({ watches: [first, [seen(1, 11), seen(1, 11), seen(2, 12), seen(4, 14)]] }), /after 11/);
  });
  it('accepts that a watch skips what happened before it listed again, and nothing else', () => {
    const [first = []] = good.watches;
    const watches = [first, [seen(1, 11), seen(4, 14)]];
    assert.equal(wrong({ watches, relists: [{ watch: 1, from: 11, to: 13 }] }), '');
    const both = [0, 1].map((watch) => ({ watch, from: 11, to: 13 }));
    const skipped = [watches[1] ?? [], watches[1] ?? []];
    const reads = [read(1, 12, 2)];
    assert.equal(wrong({ watches: skipped, relists: both, reads }), '');
    assert.match(wrong({ watches: skipped, relists: both, reads: [read(1, 12, 3)] }), /list of 12 shows a number 3/);
    assert.match(wrong({ watches, relists: [{ watch: 0, from: 11, to: 13 }] }), /watch 1 received 2 of 3 changes/);
    assert.match(wrong({ watches, relists: [{ watch: 1, from: 12, to: 13 }] }), /watch 1 received 2 of 3 changes/);
  });
  it('finds a refused write that succeeded, and an acknowledged one with another result', () => {
    const events = [seen(1, 11), seen(2, 12), seen(3, 13), seen(4, 15)];
    assert.match(wrong({ watches: [events, events] }), /refused, and happened/);
    assert.match(wrong({ watches: [events, events] }), /acknowledged at 14 and happened at 15/);
  });
});
