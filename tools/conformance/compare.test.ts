import assert from 'node:assert/strict';
import { compare, compareOrder } from './compare.ts';
import { judge, type KnownDifference, type PlacedDifference } from './known-differences.ts';
import { countByArea, isAsExpected, toMarkdown, type Report } from './report.ts';

describe('compare', () => {
  it('finds no difference between equal responses with another order of members', () => {
    assert.deepEqual(compare({ a: 1, b: [{ c: null }] }, { b: [{ c: null }], a: 1 }, 'body'), []);
  });

  it('names the deepest place of every difference', () => {
    const reference = { status: 200, list: ['a', 'b'], map: { 'x/y': 1 } };
    const chain = { status: 201, list: ['a'], map: { 'x/y': '1', more: true } };
    assert.deepEqual(compare(reference, chain, 'response'), [
      { path: 'response.status', reference: 200, chain: 201 },
      { path: 'response.list[1]', reference: 'b' },
      { path: 'response.map["x/y"]', reference: 1, chain: '1' },
      { path: 'response.map.more', chain: true },
    ]);
  });

  it('distinguishes null, an absent member and an empty list', () => {
    assert.deepEqual(compare({ a: null }, {}, 'x'), [{ path: 'x.a', reference: null }]);
    assert.deepEqual(compare({ a: [] }, { a: null }, 'x'), [{ path: 'x.a', reference: [], chain: null }]);
    assert.deepEqual(compare([], {}, 'x'), [{ path: 'x', reference: [], chain: {} }]);
  });
});

describe('compareOrder', () => {
  it('compares the order of versions of both servers', () => {
    assert.equal(compareOrder(['a', 'only here', 'b'], ['a', 'b', 'only there']), undefined);
    assert.deepEqual(compareOrder(['a', 'b', 'c'], ['a', 'c', 'b']), {
      path: 'order of resource versions',
      reference: ['b', 'c'],
      chain: ['c', 'b'],
    });
  });
});

describe('judge', () => {
  const at = (step: string, chain: unknown): PlacedDifference => ({
    scenario: 's',
    step,
    path: 'p',
    reference: 1,
    chain,
  });
  const known: KnownDifference[] = [{ name: 'why', reason: 'because', differences: [at('one', 2), at('two', 2)] }];

  it('expects exactly the known differences', () => {
    const { known: found, unexpected, gone } = judge([at('one', 2), at('two', 2)], known, new Set(['s']));
    assert.deepEqual([found.length, unexpected, gone], [2, [], []]);
  });

  it('does not expect another value at a known place, and reports the expected one as missing', () => {
    const verdict = judge([at('one', 3), at('two', 2)], known, new Set(['s']));
    assert.deepEqual(verdict.unexpected, [at('one', 3)]);
    assert.deepEqual(verdict.gone, [{ name: 'why', difference: at('one', 2) }]);
  });

  it('does not report differences of scenarios that did not run as missing', () => {
    assert.deepEqual(judge([], known, new Set(['other'])).gone, []);
    assert.equal(judge([], known, new Set(['s'])).gone.length, 2);
  });

  it('counts by area, and writes Markdown with names and reasons', () => {
    const verdict = judge([at('one', 2), at('two', 2), at('three', 5)], known, new Set(['s']));
    const ran = [{ area: 'reads', name: 's', steps: ['one', 'two', 'three', 'four'] }] as const;
    const counts = countByArea(ran, verdict);
    assert.deepEqual(counts, { reads: { scenarios: 1, steps: 4, same: 1, known: 2, unexpected: 1 } });
    const server = { name: 'x', version: 'v1.36.2' };
    const report: Report = { reference: server, chains: [{ ...server, areas: counts, ...verdict }] };
    assert.equal(isAsExpected(report), false);
    const markdown = toMarkdown(report, known);
    assert.match(markdown, /\| reads \| 1 \| 4 \| 1 \| 2 \| 1 \|/);
    assert.match(markdown, /\*\*why\*\* \(2\): because/);
    assert.match(markdown, /s: three: p\n {2}reference 1\n {2}chain {5}5/);
    const expected = judge([at('one', 2), at('two', 2)], known, new Set(['s']));
    assert.equal(isAsExpected({ ...report, chains: [{ ...server, areas: counts, ...expected }] }), true);
  });
});
