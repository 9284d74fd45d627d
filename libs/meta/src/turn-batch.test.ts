import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { TurnBatch } from './turn-batch.ts';

describe('TurnBatch', () => {
  it('runs members that become due in one turn in separate turns', async () => {
    const batch = new TurnBatch();
    const steps: string[] = [];
    const work = async (name: string) => {
      await new Promise<void>((resolve) => batch.add(resolve));
      steps.push(`${name} decodes`);
      await Promise.resolve();
      steps.push(`${name} writes`);
    };
    const all = [work('a'), work('b')];
    await Promise.resolve();
    assert.deepEqual(steps, [], 'nothing goes on within the turn');
    await Promise.all(all);
    assert.deepEqual(steps, ['a decodes', 'b decodes', 'a writes', 'b writes']);
  });

  it('runs members that a member adds in the next batch', async () => {
    const batch = new TurnBatch();
    const steps: string[] = [];
    batch.add(() => {
      steps.push('first');
      batch.add(() => steps.push('second'));
    });
    await nextTurn();
    assert.deepEqual(steps, ['first']);
    await nextTurn();
    assert.deepEqual(steps, ['first', 'second']);
  });

  it('resumes many members in several batches, in their order', async () => {
    const batch = new TurnBatch();
    const order: number[] = [];
    const many = Array.from({ length: 100 }, (_, i) => i);
    for (const i of many) batch.add(() => order.push(i));
    await nextTurn();
    assert.ok(order.length > 1 && order.length < many.length, `${order.length} went on in one batch`);
    for (let turn = 0; turn < many.length && order.length < many.length; turn++) await nextTurn();
    assert.deepEqual(order, many);
  });
});
