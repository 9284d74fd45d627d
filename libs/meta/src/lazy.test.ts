import assert from 'node:assert/strict';
import { oncePerObject } from './lazy.ts';

describe('oncePerObject', () => {
  it('computes once for each object, also where the result is undefined', () => {
    const asked: object[] = [];
    const valueOf = oncePerObject((object: { readonly value?: number }) => {
      asked.push(object);
      return object.value;
    });
    const [one, two, none] = [{ value: 1 }, { value: 1 }, {}];
    for (let i = 0; i < 2; i++) assert.deepEqual([one, two, none].map(valueOf), [1, 1, undefined]);
    assert.deepEqual(asked, [one, two, none]);
  });

  it('computes again after an error', () => {
    let tries = 0;
    const valueOf = oncePerObject(() => {
      if (tries++ === 0) throw new Error('not yet');
      return tries;
    });
    const object = {};
    assert.throws(() => valueOf(object), /not yet/);
    assert.equal(valueOf(object), 2);
    assert.equal(valueOf(object), 2);
  });
});
