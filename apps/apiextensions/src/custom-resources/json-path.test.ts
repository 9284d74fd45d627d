import assert from 'node:assert/strict';
import { parseJsonPath } from './json-path.ts';

const object = {
  spec: { a: 1, 'b.c': 'dotted', list: [{ n: 'x' }, { n: 'y' }] },
  status: {
    conditions: [
      { type: 'Ready', status: 'True' },
      { type: 'Synced', status: 'False' },
    ],
  },
};
const find = (path: string) => parseJsonPath(path).find(object);

describe('parseJsonPath', () => {
  it('follows names, quoted and escaped ones', () => {
    assert.deepEqual(find('.spec.a'), [1]);
    assert.deepEqual(find(`.spec['b.c']`), ['dotted']);
    assert.deepEqual(find('.spec.b\\.c'), ['dotted']);
    assert.deepEqual(find('.spec.none.deeper'), []);
    assert.deepEqual(find('.spec.constructor'), []);
  });
  it('takes elements by index, all, and by a condition', () => {
    assert.deepEqual(find('.spec.list[0].n'), ['x']);
    assert.deepEqual(find('.spec.list[-1].n'), ['y']);
    assert.deepEqual(find('.spec.list[*].n'), ['x', 'y']);
    assert.deepEqual(find('.status.conditions[?(@.type=="Ready")].status'), ['True']);
    assert.deepEqual(find(`.status.conditions[?(@.type == 'Nope')].status`), []);
  });
  it('refuses what it does not know', () => {
    assert.throws(() => parseJsonPath('.a['), /unrecognized part/);
  });
});
