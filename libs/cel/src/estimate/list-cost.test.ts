import assert from 'node:assert/strict';
import { structuralType } from '@apichain/schema';
import { check } from '../checker.ts';
import { declType } from '../decl-type.ts';
import { parse } from '../parser.ts';
import { estimatedCost } from './estimate.ts';

describe('estimates of lists and of names', () => {
  const decl = declType(structuralType({ type: 'array', maxItems: 10, items: { type: 'integer' } }), false);
  const costs: [string, number][] = [
    ['self.sort() == self', 214],
    ['self.distinct().size() > 0', 214],
    ['self.reverse().slice(0, 2).size() == 2', 37],
    ['lists.range(5).size() == 5', 18],
    ['sets.contains(self, [1])', 22],
    ["optional.of('a').hasValue()", 2],
  ];
  for (const [source, cost] of costs)
    it(source, () => {
      assert.ok(decl !== undefined);
      assert.equal(estimatedCost(check(source, parse(source), new Map([['self', decl.celType]])), decl), cost);
    });
});
