import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { TurnBatch } from './turn-batch.ts';

describe('TurnBatch', () => {
  it('has what becomes due in one turn take turns', async () => {
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

  it('leaves what is added by a member to the next batch', async () => {
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
});
