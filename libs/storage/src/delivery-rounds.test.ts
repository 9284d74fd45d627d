import assert from 'node:assert/strict';
import { DeliveryRounds, type DeliveryClock } from './delivery-rounds.ts';

/** A clock that advances only when the test says so. */
class TestClock implements DeliveryClock {
  time = 0;
  /** The part of the time that the process has had. */
  had = 0;
  delays: number[] = [];
  #timers: { at: number; work: () => void }[] = [];

  now() {
    return this.time;
  }
  own() {
    return this.had;
  }
  after(milliseconds: number, work: () => void) {
    this.delays.push(milliseconds);
    this.#timers.push({ at: this.time + milliseconds, work });
  }
  /** Advances the clock and runs the work that is due. The process has `own` milliseconds of that time. */
  pass(milliseconds: number, own = milliseconds) {
    this.time += milliseconds;
    this.had += own;
    const due = this.#timers.filter(({ at }) => at <= this.time);
    this.#timers = this.#timers.filter(({ at }) => at > this.time);
    for (const { work } of due) work();
  }
}

describe('delivery rounds', () => {
  let clock: TestClock;
  let rounds: DeliveryRounds;
  let delivered: string[];
  const schedule = (name: string) => rounds.schedule(() => delivered.push(name));
  /** One event for many consumers. Returns how many of them have it when the turn ends. */
  const fanOut = (consumers: number) => {
    let got = 0;
    for (let i = 0; i < consumers; i++) rounds.schedule(() => got++);
    clock.pass(0);
    return () => got;
  };
  beforeEach(() => {
    clock = new TestClock();
    rounds = new DeliveryRounds(clock);
    delivered = [];
  });

  it('deliver to few consumers in the turn of the event, however fast events come and however busy the machine is', () => {
    for (let i = 0; i < 2_000; i++) {
      assert.equal(fanOut(5)(), 5);
      // The process needs 1 ms for a write, and others have the processor for the tenfold.
      clock.pass(10, 1);
    }
    assert.deepEqual(
      clock.delays.filter((delay) => delay > 0),
      [],
    );
  });

  it('deliver to many consumers in the turn of the event while events come slowly', () => {
    for (let i = 0; i < 20; i++) {
      assert.equal(fanOut(500)(), 500);
      clock.pass(100);
    }
  });

  it('pause when events for many consumers come fast, and collect events meanwhile', () => {
    fanOut(500);
    const late = fanOut(500);
    assert.equal(late(), 0);
    schedule('a');
    clock.pass(20);
    schedule('b');
    assert.deepEqual(delivered, []);
    clock.pass(5);
    assert.equal(late(), 500);
    assert.deepEqual(delivered, ['a', 'b']);
    assert.deepEqual(clock.delays, [0, 25]);
  });

  it('pause longer while others have the processor, but at most 100 ms', () => {
    fanOut(500);
    const late = fanOut(500);
    clock.pass(25, 5);
    assert.equal(late(), 0);
    clock.pass(20, 20);
    assert.equal(late(), 500);
    const last = fanOut(500);
    for (let i = 0; i < 9; i++) clock.pass(10, 0);
    assert.equal(last(), 0);
    clock.pass(10, 0);
    assert.equal(last(), 500);
  });

  it('deliver at once after an idle time', () => {
    for (let i = 0; i < 10; i++) fanOut(2_000);
    clock.pass(1_000);
    clock.pass(1_000);
    schedule('a');
    clock.pass(0);
    assert.ok(delivered.includes('a'));
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
