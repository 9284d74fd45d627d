import assert from 'node:assert/strict';
import { DeliveryRounds, type DeliveryClock } from './delivery-rounds.ts';

/** A clock that advances only when the test says so. */
class TestClock implements DeliveryClock {
  time = 0;
  delays: number[] = [];
  #timers: { at: number; work: () => void }[] = [];
  #idle: (() => void)[] = [];

  now() {
    return this.time;
  }
  after(milliseconds: number, work: () => void) {
    this.delays.push(milliseconds);
    this.#timers.push({ at: this.time + milliseconds, work });
  }
  whenIdle(work: () => void) {
    this.#idle.push(work);
  }
  /** Advances the clock and runs the work that is due; each round takes `taking` milliseconds. */
  pass(milliseconds: number, taking = 0) {
    this.time += milliseconds;
    const due = this.#timers.filter(({ at }) => at <= this.time);
    this.#timers = this.#timers.filter(({ at }) => at > this.time);
    for (const { work } of due) work();
    this.time += taking;
    for (const work of this.#idle.splice(0)) work();
  }
}

describe('delivery rounds', () => {
  let clock: TestClock;
  let rounds: DeliveryRounds;
  let delivered: string[];
  const schedule = (name: string) => rounds.schedule(() => delivered.push(name));
  beforeEach(() => {
    clock = new TestClock();
    rounds = new DeliveryRounds(clock);
    delivered = [];
  });

  it('deliver immediately while rounds are short', () => {
    for (const name of ['a', 'b', 'c']) {
      schedule(name);
      clock.pass(0, 1);
    }
    assert.deepEqual(delivered, ['a', 'b', 'c']);
    assert.deepEqual(clock.delays, [0, 0, 0]);
  });

  it('pause after a round for twice its duration, and collect events meanwhile', () => {
    schedule('a');
    clock.pass(0, 20);
    schedule('b');
    clock.pass(20);
    schedule('c');
    assert.deepEqual(delivered, ['a']);
    clock.pass(20);
    assert.deepEqual(delivered, ['a', 'b', 'c']);
    assert.deepEqual(clock.delays, [0, 40]);
  });

  it('delay events by at most 100 ms, and not after an idle time', () => {
    schedule('a');
    clock.pass(0, 5_000);
    schedule('b');
    assert.equal(clock.delays.at(-1), 100);
    clock.pass(100, 50);
    clock.pass(1_000);
    schedule('c');
    assert.equal(clock.delays.at(-1), 0);
  });

  it('deliver events that are scheduled during a round in the next one', () => {
    rounds.schedule(() => {
      delivered.push('a');
      schedule('b');
    });
    clock.pass(0);
    assert.deepEqual(delivered, ['a']);
    clock.pass(0);
    assert.deepEqual(delivered, ['a', 'b']);
  });
});
