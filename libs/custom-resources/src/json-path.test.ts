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
    assert.deepEqual(find(`.spec['b\\.c']`), ['dotted']);
    assert.deepEqual(find(`.spec['list'][0]['n']`), ['x']);
    assert.deepEqual(find(`.spec['b.c']`), [], 'a dot in quotes is a step all the same');
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
  it('takes slices, unions, everything below', () => {
    assert.deepEqual(find('.spec.list[-1:].n'), ['y']);
    assert.deepEqual(find('.spec.list[0:1].n'), ['x']);
    assert.deepEqual(find('.spec.list[::2].n'), ['x']);
    assert.deepEqual(find('.spec.list[:].n'), ['x', 'y']);
    assert.deepEqual(find('.spec.list[1,0].n'), ['y', 'x']);
    assert.deepEqual(find('..type'), ['Ready', 'Synced']);
    assert.deepEqual(find('.status.conditions.*.type'), ['Ready', 'Synced']);
    assert.deepEqual(find('.status.conditions[?(@.type!="Ready")].status'), ['False']);
    assert.deepEqual(find('.status.conditions[?(@.type)].type'), ['Ready', 'Synced']);
    assert.deepEqual(find('.status.conditions[?(@.reason)].type'), []);
  });
  it('fails on a value that it does not fit', () => {
    for (const path of [
      '.spec.list[2]',
      '.spec[0]',
      '.spec.list[1:0]',
      '.spec[?(@.a)]',
      '.spec.list[?(@.n==1)]',
      '.a range',
    ])
      assert.throws(() => find(path), Error, path);
  });
  it('refuses what is none', () => {
    for (const path of ['.a[', '.a["b"]', '.a[x]', '.a[?(@.b', '.a....b', '.a[?(@.b=="c"]', '.a/b ?'])
      assert.throws(() => parseJsonPath(path), Error, path);
  });
});
