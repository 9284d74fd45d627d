import assert from 'node:assert/strict';
import { finish, inTurns, pause, type Work } from './turns.ts';

const spend = (ms: number): void => {
  const end = performance.now() + ms;
  while (performance.now() < end);
};
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function* work(steps: number, ms: number, done: () => void): Work<number> {
  for (let i = 0; i < steps; i++) {
    spend(ms);
    done();
    yield;
  }
  return steps;
}

describe('inTurns', () => {
  beforeEach(nextTurn);

  it('does short work in one turn', () => {
    assert.equal(inTurns(work(3, 0, () => undefined)), 3);
    assert.equal(pause(), undefined);
  });

  it('yields between the steps of long work', async () => {
    let steps = 0;
    const seen: number[] = [];
    const long = inTurns(work(6, 25, () => steps++));
    assert(long instanceof Promise);
    const other = async () => {
      while (steps < 6) {
        seen.push(steps);
        await nextTurn();
      }
    };
    assert.deepEqual((await Promise.all([long, other()]))[0], 6);
    assert.deepEqual([...new Set(seen)], [1, 2, 3, 4, 5]);
  });

  it('resumes one of many in a turn', async () => {
    let steps = 0;
    const stepsInTurns: number[] = [];
    let isOver = false;
    const all = Promise.all(Array.from({ length: 4 }, () => Promise.resolve(inTurns(work(4, 25, () => steps++)))));
    const count = async () => {
      while (!isOver) {
        const before = steps;
        await nextTurn();
        stepsInTurns.push(steps - before);
      }
    };
    const counting = count();
    await all;
    isOver = true;
    await counting;
    assert(Math.max(...stepsInTurns) <= 2, `${Math.max(...stepsInTurns)} steps in one turn`);
  });

  it('is not counted as time of the short work that comes between its steps', async () => {
    let isOver = false;
    let waits = 0;
    let passed = 0;
    const short = async () => {
      while (!isOver) {
        await new Promise((resolve) => setTimeout(resolve, 0));
        const wait = pause();
        if (wait === undefined) passed++;
        else waits++;
        await wait;
      }
    };
    const long = inTurns(work(10, 25, () => undefined));
    const others = short();
    await long;
    isOver = true;
    await others;
    // The first step runs in the turn in which the work was given, and that turn's time is up.
    assert(waits <= 1 && passed >= 8, `${waits} waited, ${passed} did not`);
  });

  it('rejects with the error of the work', async () => {
    function* failing(): Work<never> {
      yield* work(2, 25, () => undefined);
      throw new Error('broken');
    }
    await assert.rejects(async () => inTurns(failing()), /broken/);
    assert.throws(() => finish(failing()), /broken/);
  });
});
