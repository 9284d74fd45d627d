import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { machineClock, type Clock } from './clock.ts';
import { currentTime, sleepByClock, startTimer, withClock } from './current-time.ts';

describe('clock', () => {
  it('is the system clock, unless another one is installed', async () => {
    const before = Date.now();
    assert.ok(currentTime() >= before && currentTime() <= Date.now());
    const [inner] = await Promise.all([
      withClock({ ...machineClock, now: () => 7 }, async () => {
        await sleep(1);
        return currentTime();
      }),
      sleep(1).then(() => assert.ok(currentTime() >= before)),
    ]);
    assert.equal(inner, 7);
  });

  it('calls timers by the clock under which they were set, in the context of the caller', async () => {
    const timers: { readonly callback: () => void; readonly delayMs: number; cancelled: boolean }[] = [];
    const clock: Clock = {
      now: () => 7,
      setTimer(callback, delayMs) {
        const timer = { callback, delayMs, cancelled: false };
        timers.push(timer);
        return () => void (timer.cancelled = true);
      },
    };
    const times: number[] = [];
    const stop = new AbortController();
    const slept = withClock(clock, () => {
      startTimer(() => times.push(currentTime()), 2 ** 40)();
      return Promise.all([sleepByClock(10, stop.signal), sleepByClock(20, stop.signal)]);
    });
    assert.deepEqual(
      timers.map(({ delayMs, cancelled }) => [delayMs, cancelled]),
      [
        [2 ** 40, true],
        [10, false],
        [20, false],
      ],
    );
    for (const { callback } of timers.slice(0, 2)) callback();
    stop.abort();
    await slept;
    assert.deepEqual(times, [7]);
    assert.equal(timers[2]?.cancelled, true);
  });

  it('has timers of the machine', async () => {
    const fired: string[] = [];
    machineClock.setTimer(() => fired.push('cancelled'), 0)();
    const far = machineClock.setTimer(() => fired.push('far'), 2 ** 40);
    // Timers do not keep the process alive.
    const alive = setInterval(() => undefined, 1_000);
    await new Promise<void>((resolve) => machineClock.setTimer(resolve, 1));
    clearInterval(alive);
    far();
    assert.deepEqual(fired, []);
  });
});
