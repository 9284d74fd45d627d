import assert from 'node:assert/strict';
import { structuralType, type JsonSchemaProps } from '@apichain/schema';
import { declType } from '../decl-type.ts';
import { compileRule } from '../rules/compile-rule.ts';
import { estimatedCost } from './estimate.ts';

function costOf(schema: JsonSchemaProps, rule: string): number {
  const decl = declType(structuralType(schema), false);
  assert.ok(decl !== undefined);
  const { checked, error } = compileRule({ rule }, decl);
  assert.ok(checked !== undefined, error);
  return estimatedCost(checked, decl);
}

type Shape = (most: number | undefined) => JsonSchemaProps;
const item = (type: string): JsonSchemaProps => {
  if (type === 'int-or-string') return { 'x-kubernetes-int-or-string': true };
  return ['date', 'date-time', 'duration'].includes(type) ? { type: 'string', format: type } : { type };
};
const listOf =
  (items: JsonSchemaProps): Shape =>
  (most) => ({ type: 'array', items, ...(most === undefined ? {} : { maxItems: most }) });
const mapOf =
  (values: JsonSchemaProps): Shape =>
  (most) => ({ type: 'object', additionalProperties: values, ...(most === undefined ? {} : { maxProperties: most }) });
const text: Shape = (most) => ({ type: 'string', ...(most === undefined ? {} : { maxLength: most }) });
const texts: Shape = (most) => listOf(text(most))(most);
const named: JsonSchemaProps = {
  type: 'object',
  properties: { required: { type: 'string' }, optional: { type: 'string' } },
  required: ['required'],
};

/** Shape, rule, cost without a limit, limit, cost with the limit. Source: TestCostEstimation of k8s.io/apiextensions-apiserver 0.36. */
const known: readonly (readonly [Shape, string, number, number, number])[] = [
  [listOf(item('string')), 'self.all(x, true)', 3145727, 20, 62],
  [listOf(item('boolean')), 'self.all(x, true)', 1887437, 5, 17],
  [listOf({ type: 'array', items: item('number') }), 'self.all(x, true)', 3145727, 100, 302],
  [listOf(named), 'self.all(x, true)', 555128, 50, 152],
  [mapOf(item('number')), 'self.all(x, true)', 1348169, 10, 32],
  [mapOf(item('boolean')), 'self.all(x, true)', 943718, 100, 302],
  [text, "self.contains('test')", 314574, 10, 5],
  [text, "self.startsWith('test')", 2, 15, 2],
  [text, 'size(self + "hello") > size("hello")', 314578, 4, 7],
  [listOf(item('number')), 'self[1] == 0.0', 2, 5000, 2],
  [listOf(item('string')), 'self[1] == self[1]', 314577, 8, 314577],
  [text, 'self.matches("x")', 314574, 50, 22],
  [text, '"".matches("(((((((((())))))))))[0-9]")', 7, 10, 7],
  [text, 'self.matches("")', 1, 100, 1],
  [text, 'self == "x"', 2, 0, 1],
  [listOf(item('number')), 'self.all(x, x == 0.0)', 6291454, 3 * 1024 * 2048, 25165826],
  [listOf(item('int-or-string')), 'self.all(x, true)', 4718591, 10, 32],
  [listOf(item('int-or-string')), 'self[0] == 5', 3, 10, 3],
  [listOf(named), 'self[0] == null', 2, 422, 2],
  [listOf({ type: 'array', items: item('number') }), 'self[0][0] == -1.0', 3, 51, 3],
  [listOf(mapOf(item('number'))(undefined)), 'self.all(x, x.y == 25.2)', 6291452, 12, 74],
  [listOf(mapOf(item('number'))(undefined)), 'self[0].x > 2.0', 4, 3000, 4],
  [listOf(item('duration')), 'self.all(x, true)', 2359295, 5, 17],
  [listOf(item('duration')), 'self[0].getHours() == 2', 4, 525, 4],
  [listOf(item('date')), 'self.all(x, true)', 725936, 15, 47],
  [listOf(item('date-time')), 'self[2].getMinutes() == 45', 4, 99, 4],
  [mapOf(item('date')), 'self.all(x, true)', 524288, 10, 32],
  [text, "self.find('[0-9]+') == ''", 629147, 10, 11],
  [texts, "self.join(' ') == 'aa bb'", 329853068905, 10, 0],
  [texts, 'self.isSorted() == true', 329854432052, 10, 0],
  [text, "self.lowerAscii() == 'lower!'", 314575, 10, 6],
  [mapOf(item('integer')), 'oldSelf.size() == self.size()', 5, 10, 5],
  [mapOf(item('date-time')), 'self["a"] == self["b"]', 8, 7, 8],
  [mapOf(item('duration')), 'self["c"] == self["d"]', 8, 42, 8],
];

describe('estimatedCost', () => {
  for (const [shape, rule, unlimited, most, limited] of known) {
    it(`${JSON.stringify(shape(undefined))}: ${rule}`, () => {
      assert.equal(costOf(shape(undefined), rule), unlimited);
      if (limited > 0) assert.equal(costOf(shape(most), rule), limited);
    });
  }

  it('grows with every nested loop', () => {
    const numbers = listOf(item('number'));
    assert.equal(costOf(numbers(10), 'self.all(x, self.all(y, true))'), 352);
    assert.equal(costOf(numbers(10), 'self.all(x, self.all(y, self.all(z, true)))'), 3552);
    assert.ok(costOf(numbers(undefined), 'self.all(x, self.all(y, true))') > 10_000_000);
  });

  it('uses the longest value of an enumeration', () => {
    const values = { type: 'string', enum: ['A', 'B', 'C', 'LongValue'] } as JsonSchemaProps;
    assert.equal(costOf(values, "self.contains('A')"), 2);
    assert.equal(costOf({ ...values, maxLength: 1000 }, "self.contains('A')"), 401);
  });
});
