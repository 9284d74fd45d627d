import assert from 'node:assert/strict';
import fc from 'fast-check';
import { applyJsonPatch } from './json-patch.ts';
import { LongList } from './long-list.ts';
import { WrittenPaths } from './written-paths.ts';

describe('LongList', () => {
  it('has the contents of an array', () => {
    const step = fc.record({ at: fc.nat(), insert: fc.boolean() });
    fc.assert(
      fc.property(fc.nat(6_000), fc.array(step, { maxLength: 60 }), (length, steps) => {
        const array = Array.from({ length }, (_, i) => i);
        const list = new LongList(array);
        for (const { at, insert } of steps) {
          if (insert) {
            const index = at % (array.length + 1);
            array.splice(index, 0, -at);
            list.insert(index, -at);
          } else if (array.length > 0) {
            const index = at % array.length;
            assert.equal(list.get(index), array[index]);
            array.splice(index, 1);
            list.remove(index);
          }
        }
        assert.equal(list.length, array.length);
        assert.deepEqual(list.toArray(), array);
      }),
      { numRuns: 50 },
    );
  });

  it('moves no more than one part for an element', () => {
    const list = new LongList(Array.from({ length: 100_000 }, (_, i) => i));
    for (let i = 0; i < 50_000; i++) list.insert(0, i);
    assert.deepEqual([list.length, list.get(0), list.get(149_999)], [150_000, 49_999, 99_999]);
  });
});

describe('a patch of a long array', () => {
  const long = Array.from({ length: 5_000 }, (_, i) => i);

  it('applies every operation to the result of the previous ones', () => {
    const patched = applyJsonPatch({ a: long, b: 1 }, [
      { op: 'add', path: '/a/0', value: 'first' },
      { op: 'remove', path: '/a/2' },
      { op: 'test', path: '/a', value: ['first', 0, ...long.slice(2)] },
      { op: 'move', from: '/a/0', path: '/a/-' },
      { op: 'replace', path: '/a/1', value: 'second' },
      { op: 'copy', from: '/a', path: '/b' },
      { op: 'remove', path: '/a/-1' },
    ]);
    assert.deepEqual(patched, {
      a: [0, 'second', ...long.slice(3)],
      b: [0, 'second', ...long.slice(3), 'first'],
    });
  });

  it('fails at the same indices as one of a short array', () => {
    const broken = (index: string) => () =>
      applyJsonPatch({ a: long }, [
        { op: 'add', path: '/a/0', value: 1 },
        { op: 'remove', path: `/a/${index}` },
      ]);
    assert.throws(broken('5001'), /invalid index referenced/);
    assert.throws(broken('-5002'), /invalid index referenced/);
    assert.throws(broken('x'), /invalid syntax/);
  });
});

describe('WrittenPaths', () => {
  it('covers written paths and the paths below them', () => {
    const written = new WrittenPaths();
    written.add('/a/b');
    assert.deepEqual(
      ['/a', '/a/b', '/a/b/c', '/a/bc', ''].map((path) => written.covers(path)),
      [false, true, true, false, false],
    );
    written.add('');
    assert.equal(written.covers('/x'), true);
  });
});
