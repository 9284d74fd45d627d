import assert from 'node:assert/strict';
import { TestClock } from './clock.ts';

const begin = Date.parse('2030-01-01T00:00:00Z');
const secondMs = 1_000;

function virtualClock() {
  const aged: number[] = [];
  let settled = 0;
  const clock = new TestClock({
    virtualFrom: begin,
    isHeld: true,
    ageLeases: async (milliseconds) => void aged.push(milliseconds),
    settle: async () => void settled++,
    shuffle: (timers) => timers,
  });
  /** Calls `tick` every `periodMs`. */
  const every = (periodMs: number, tick: () => void, kind?: 'renewal' | 'check') => {
    const again = () => clock.setTimer(() => (tick(), again()), periodMs, kind);
    again();
  };
  return { clock, every, aged, settled: () => settled };
}

describe('a virtual clock', () => {
  it('stands still between two steps, and is at the time of each timer when it fires', async () => {
    const { clock, every, settled } = virtualClock();
    const fired: string[] = [];
    const note = (name: string) => () => void fired.push(`${name} ${(clock.now() - begin) / secondMs}`);
    every(40 * secondMs, note('tick'));
    clock.setTimer(note('once'), 60 * secondMs);
    clock.setTimer(note('never'), 30 * secondMs)();
    clock.setTimer(() => void clock.setTimer(note('nested'), 5 * secondMs), 10 * secondMs);
    assert.equal(clock.nextDue, begin + 10 * secondMs);
    await clock.advance('2m');
    assert.deepEqual(fired, ['nested 15', 'tick 40', 'once 60', 'tick 80', 'tick 120']);
    assert.equal(clock.now(), begin + 120 * secondMs);
    assert.ok(settled() > 5);
    await clock.advance('-1m');
    assert.equal(clock.now(), begin + 60 * secondMs);
    await clock.set(new Date('2031-01-01T00:00:00Z'));
    assert.equal(clock.now(), Date.parse('2031-01-01T00:00:00Z'));
    await assert.rejects(clock.advance('soon'), RangeError);
  });

  it('leaves out renewals while nothing else happens, but not before another timer and before who checks them', async () => {
    const { clock, every } = virtualClock();
    const seconds = () => (clock.now() - begin) / secondMs;
    const renewals: number[] = [];
    let [missing, looks] = [0, 0];
    every(10 * secondMs, () => renewals.push(seconds()), 'renewal');
    const check = () => {
      looks++;
      if (seconds() - (renewals.at(-1) ?? 0) > 50) missing++;
      clock.setTimer(check, 45 * secondMs, 'check');
    };
    check();
    let latest = 0;
    clock.setTimer(() => (latest = renewals.at(-1) ?? 0), 3_600 * secondMs);
    await clock.advance('1d');
    assert.deepEqual(renewals, [10, 20, 30, 40, 50, 60, 3_600, 86_400]);
    assert.equal(latest, 3_600);
    assert.deepEqual([missing, looks], [0, 4]);
  });

  it('settles once after all overdue renewals, and once after all checks', async () => {
    const { clock, every, settled } = virtualClock();
    const fired: (readonly [string, number])[] = [];
    const note = (name: string) => () => void fired.push([name, settled()]);
    every(10 * secondMs, note('lease of a'), 'renewal');
    every(11 * secondMs, note('lease of b'), 'renewal');
    every(50 * secondMs, note('check of a'), 'check');
    every(51 * secondMs, note('check of b'), 'check');
    await clock.advance('1m');
    clock.setTimer(note('due'), 3_600 * secondMs);
    fired.length = 0;
    await clock.advance(3_600 * secondMs);
    const last = fired.slice(-5).map(([name, settles]) => [name, settles - (fired.at(-1)?.[1] ?? 0)]);
    assert.deepEqual(last, [
      ['lease of b', -2],
      ['lease of a', -2],
      ['check of a', -1],
      ['check of b', -1],
      ['due', 0],
    ]);
  });

  it('ends pauses before another attempt when asked, without moving', () => {
    const { clock } = virtualClock();
    const fired: string[] = [];
    clock.setTimer(() => fired.push('long'), 5 * secondMs, 'retry');
    clock.setTimer(() => fired.push('second'), 200, 'retry');
    clock.setTimer(() => fired.push('first'), 5, 'retry');
    while (clock.fireRetry());
    assert.deepEqual(fired, ['first', 'second']);
    assert.equal(clock.now(), begin);
    assert.equal(clock.fireDue(), false);
  });

  it('ages leases by as much as it moves', async () => {
    const { clock, every, aged } = virtualClock();
    every(secondMs, () => undefined);
    await clock.advance('10m');
    assert.equal(
      aged.reduce((sum, part) => sum + part, 0),
      600 * secondMs,
    );
    assert.ok(aged.length < 30);
  });
});
