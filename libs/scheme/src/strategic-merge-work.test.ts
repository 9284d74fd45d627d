import assert from 'node:assert/strict';
import type { JsonObject } from '@apichain/meta';
import fc from 'fast-check';
import { normalizeOrder } from './strategic-merge-order.ts';
import { applyStrategicMergePatch } from './strategic-merge-patch.ts';
import type { Field, Type } from './type.ts';

const string: Type = { kind: 'string' };
const struct = (fields: Field[]): Type => ({
  kind: 'object',
  fields,
  byName: new Map(fields.map((field) => [field.name, field])),
});
const item = struct([{ name: 'name', type: string }]);
const holder = struct([
  { name: 'env', type: { kind: 'array', items: item }, patchStrategy: ['merge'], patchMergeKey: 'name' },
  { name: 'finalizers', type: { kind: 'array', items: string }, patchStrategy: ['merge'] },
  { name: 'data', type: { kind: 'map', values: string } },
]);

const count = 5_000;
/** The number of reads of merge keys. It is the number of pairs if one list is searched for each element of another. */
let reads = 0;

function items(prefix: string, more: JsonObject = {}): JsonObject[] {
  return Array.from({ length: count }, (_, i) =>
    Object.defineProperty({ ...more }, 'name', {
      get: () => {
        reads++;
        return `${prefix}${i}`;
      },
      enumerable: true,
      configurable: true,
    }),
  );
}

describe('a strategic merge of long lists', () => {
  const cases: Record<string, () => JsonObject> = {
    'the same elements': () => ({ env: items('a', { value: 'x' }) }),
    'new elements': () => ({ env: items('b') }),
    deletions: () => ({ env: items('a', { $patch: 'delete' }) }),
    'deletions of what is not there': () => ({ env: items('b', { $patch: 'delete' }) }),
    'an order': () => ({ '$setElementOrder/env': items('a').reverse() }),
    'an order of others': () => ({ '$setElementOrder/env': items('b'), env: items('b') }),
  };
  for (const [name, patch] of Object.entries(cases)) {
    it(`reads each merge key a few times: ${name}`, () => {
      const live = { env: items('a') };
      const given = patch();
      reads = 0;
      applyStrategicMergePatch(live, given, holder);
      assert(reads < 60 * count, `${reads} reads of ${2 * count} keys`);
    });
  }

  it('places unordered items as an insertion sort does', () => {
    const place = fc.option(fc.nat(5), { nil: undefined });
    fc.assert(
      fc.property(fc.array(place, { maxLength: 12 }), (places) => {
        const list = places.map((at, i) => (at === undefined ? `new${i}` : `old${at}`));
        const order = ['old0', 'old1', 'old2', 'old3', 'old4', 'old5'];
        const sorted: string[] = [];
        for (const text of list) {
          let i = sorted.length;
          const at = order.indexOf(text);
          while (i > 0) {
            const before = order.indexOf(sorted[i - 1] ?? '');
            if (at >= 0 && before >= 0 && at >= before) break;
            i--;
          }
          sorted.splice(i, 0, text);
        }
        assert.deepEqual(normalizeOrder(list, [], order, undefined), sorted);
      }),
    );
  });
});
