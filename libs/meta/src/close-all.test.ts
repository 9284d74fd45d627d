import assert from 'node:assert/strict';
import { closeAll } from './close-all.ts';

describe('closeAll', () => {
  it('goes on after a step that fails, and tells the first failure at the end', async () => {
    const done: string[] = [];
    const step = (name: string, problem?: string) => async () => {
      await Promise.resolve();
      done.push(name);
      if (problem !== undefined) throw new Error(problem);
    };
    const throws = () => {
      throw new Error('second');
    };
    await assert.rejects(closeAll([step('a'), step('b', 'first'), throws, step('c')]), /^Error: first$/);
    assert.deepEqual(done, ['a', 'b', 'c']);
    await closeAll([step('d')]);
    assert.deepEqual(done, ['a', 'b', 'c', 'd']);
  });
});
