import assert from 'node:assert/strict';
import { literalsInDocument, printedMerge, printedOperations, shownDocument } from './printed-patch.ts';

/** CPU time of the fastest of three runs, in milliseconds. */
function cost(run: () => void): number {
  const times = Array.from({ length: 3 }, () => {
    const { user } = process.cpuUsage();
    run();
    return (process.cpuUsage().user - user) / 1000;
  });
  return Math.min(...times);
}
const keys = (n: number): Record<string, number> =>
  Object.fromEntries(Array.from({ length: n }, (_, i) => [`k${(i * 7919) % 100_003}`, i]));

describe('the document in errors of patches', () => {
  it('is sorted on the paths of the operations only', () => {
    const document = {
      b: {
        d: 1,
        c: [
          { z: 1, y: { q: 1, p: 2 } },
          { n: 1, m: 2 },
        ],
      },
      a: { y: 1, x: 2 },
    };
    const operations = [
      { op: 'add', path: '/b/c/0/w', value: { v: 1, u: 2 } },
      { op: 'test', path: '/a/x', value: 2 },
    ];
    assert.equal(
      JSON.stringify(printedOperations(document, operations)),
      '{"a":{"x":2,"y":1},"b":{"c":[{"w":{"v":1,"u":2},"y":{"q":1,"p":2},"z":1},{"n":1,"m":2}],"d":1}}',
    );
  });

  it('is not sorted when the document or the patch is large', () => {
    const small = shownDocument({ b: 1, a: 2 }, keys(100), () => 'exact');
    assert.equal(small, 'exact');
    for (const [document, patch] of [
      [keys(6_000), {}],
      [{ b: 1, a: 2 }, keys(6_000)],
    ] as const)
      assert.equal(
        shownDocument(document, patch, () => assert.fail('takes long')),
        JSON.stringify(document),
      );
  });

  it('keeps the numbers of each operation', () => {
    const literals = new Map([
      ['[0].value.x', '1.0'],
      ['[10].value', '2.0'],
      ['[1].value[0]', '3.0'],
    ]);
    const operations = [
      { op: 'add', path: '/a', value: { x: 1 } },
      { op: 'add', path: '/l/-', value: [3] },
      ...Array.from({ length: 8 }, () => ({ op: 'test', path: '/a' })),
      { op: 'replace', path: '/b', value: 2 },
    ];
    const found = literalsInDocument({ a: { x: 1 }, l: [[3]], b: 2 }, operations, literals);
    assert.deepEqual(
      [...found],
      [
        ['a.x', '1.0'],
        ['l[0][0]', '3.0'],
        ['b', '2.0'],
      ],
    );
  });

  const cases: Record<string, (n: number) => () => void> = {
    'the members of a merge patch': (n) => {
      const patch = keys(n);
      return () => printedMerge({}, patch);
    },
    'operations on a long object': (n) => {
      const operations = Array.from({ length: n / 4 }, (_, i) => ({ op: 'add', path: `/a/new${i}`, value: i }));
      const document = { a: keys(n) };
      return () => printedOperations(document, operations);
    },
    'numbers of operations': (n) => {
      const operations = Array.from({ length: n / 4 }, () => ({ op: 'add', path: '/a', value: [1] }));
      const literals = new Map(operations.map((_, i) => [`[${i}].value[0]`, '1.0']));
      return () => literalsInDocument({ a: [1] }, operations, literals);
    },
  };
  for (const [name, prepare] of Object.entries(cases)) {
    it(`grows linearly with the patch: ${name}`, () => {
      const [small, large] = [prepare(4_000), prepare(16_000)];
      small();
      const once = Math.max(cost(small), 4);
      const fourfold = cost(large);
      assert(fourfold < 11 * once, `${fourfold} ms against ${once} ms`);
    });
  }
});
