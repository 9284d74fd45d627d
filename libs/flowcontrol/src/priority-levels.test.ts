import assert from 'node:assert/strict';
import fc from 'fast-check';
import { allocate } from './concurrency-allocation.ts';
import { begin, flowOf, levelConfiguration, TestClock } from './flow-control.fixture.ts';
import { PriorityLevels } from './priority-levels.ts';

const suggested = [
  ['system', 30, 33, 64, 6],
  ['node-high', 40, 25, 64, 6],
  ['leader-election', 10, 0, 16, 4],
  ['workload-high', 40, 50, 128, 6],
  ['workload-low', 100, 90, 128, 6],
  ['global-default', 20, 50, 128, 6],
] as const;

function suggestedLevels(clock = new TestClock()): PriorityLevels {
  const levels = new PriorityLevels(600, clock.read);
  levels.configure(
    suggested.map(([name, nominalConcurrencyShares, lendablePercent, queues, handSize]) =>
      levelConfiguration({
        name,
        nominalConcurrencyShares,
        lendablePercent,
        queuing: { queues, handSize, queueLengthLimit: 50 },
      }),
    ),
  );
  return levels;
}

describe('PriorityLevels', () => {
  it('divides the seats of the server by shares', () => {
    const levels = suggestedLevels();
    const of = (name: string) => {
      const level = levels.get(name);
      return [level?.nominal, level?.lower, level?.upper, level?.maxSeats];
    };
    assert.deepEqual(of('system'), [74, 50, 674, 12]);
    assert.deepEqual(of('workload-low'), [245, 24, 845, 37]);
    assert.deepEqual(of('leader-election'), [25, 25, 625, 4]);
    assert.deepEqual(of('catch-all'), [13, 13, 613, 0]);
    assert.deepEqual(of('exempt'), [0, 0, 600, 0]);
  });

  it('lends seats to levels with demand, and keeps the seats that a level does not lend', () => {
    const clock = new TestClock();
    const levels = suggestedLevels(clock);
    const level = levels.get('workload-low');
    assert.ok(level !== undefined);
    const before = level.current;
    const flow = flowOf(level, 'a', [0]);
    for (let i = 0; i < 300; i++) begin(flow);
    clock.now += 10_000;
    levels.adjust();
    assert.ok(level.current > before, `${level.current} > ${before}`);
    for (const each of levels.all()) assert.ok(each.configuration.exempt || each.current >= each.lower, each.name);
    const sum = levels.all().reduce((total, { current }) => total + current, 0);
    assert.ok(Math.abs(sum - 603) <= 8, String(sum));
  });

  it('keeps a removed level until its requests have ended', () => {
    const levels = suggestedLevels();
    const level = levels.get('system');
    assert.ok(level !== undefined);
    const request = begin(flowOf(level, 'a', [0]));
    levels.configure([]);
    assert.equal(levels.get('system'), undefined);
    assert.ok(level.quiescing && levels.all().includes(level));
    assert.equal(levels.canForget, false);
    level.queues.finish(request);
    assert.equal(levels.canForget, true);
    levels.configure([]);
    assert.deepEqual(
      levels.all().map(({ name }) => name),
      ['exempt', 'catch-all'],
    );
  });
});

describe('allocate', () => {
  it('distributes the total within bounds, in proportion where no bound applies', () => {
    const item = fc
      .tuple(fc.integer({ min: 0, max: 50 }), fc.integer({ min: 0, max: 100 }), fc.integer({ min: 1, max: 100 }))
      .map(([lower, more, above]) => ({ lower, target: lower + more, upper: lower + above }));
    fc.assert(
      fc.property(
        fc.array(item, { minLength: 1, maxLength: 8 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (items, part) => {
          const least = items.reduce((sum, { lower }) => sum + lower, 0);
          const most = items.reduce((sum, { upper }) => sum + upper, 0);
          const sum = Math.round(least + (most - least) * part);
          const allocation = allocate(sum, items);
          assert.ok(allocation !== undefined);
          const total = allocation.allotments.reduce((all, one) => all + one, 0);
          assert.ok(Math.abs(total - sum) < 0.01, `${total} is not ${sum}`);
          for (const [i, { lower, upper, target }] of items.entries()) {
            const got = allocation.allotments[i] ?? 0;
            assert.ok(got >= lower - 1e-6 && got <= upper + 1e-6);
            const fair = allocation.fairFraction * Math.max(target, 0.001);
            if (got > lower + 1e-6 && got < upper - 1e-6) assert.ok(Math.abs(got - fair) < 1e-3);
          }
        },
      ),
    );
    assert.equal(allocate(5, [{ lower: 6, upper: 7, target: 6 }]), undefined);
    assert.equal(allocate(8, [{ lower: 6, upper: 7, target: 6 }]), undefined);
  });
});
