import assert from 'node:assert/strict';
import { finish } from '@apichain/meta';
import { structuralType, type JsonSchemaProps } from '@apichain/schema';
import { celRules } from './evaluator.ts';

const count = 3_000;
let reads = 0;
const items = () =>
  Array.from({ length: count }, (_, i) => ({
    get k() {
      reads++;
      return `k${i}`;
    },
    v: 1,
  }));

const type = structuralType({
  type: 'object',
  properties: {
    list: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
      items: {
        type: 'object',
        properties: {
          k: { type: 'string' },
          v: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self >= oldSelf' }] },
        },
      },
    },
  },
});

describe('rules over long lists', () => {
  const rules = celRules.compile(type);
  assert(rules !== undefined);

  it('find the old item of each with an index', () => {
    reads = 0;
    assert.deepEqual(finish(rules.evaluating({ list: items().reverse() }, { list: items() }, '')), []);
    assert(reads < 30 * count, `${reads} reads of ${2 * count} keys`);
  });

  it('compare and join lists by their keys with an index', () => {
    const list: JsonSchemaProps = {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
      items: { type: 'object', properties: { k: { type: 'string' }, v: { type: 'integer' } } },
    };
    const comparing = celRules.compile(
      structuralType({
        type: 'object',
        properties: { list },
        'x-kubernetes-validations': [
          { rule: 'self.list == oldSelf.list' },
          { rule: 'size(self.list + oldSelf.list) == size(self.list)' },
        ],
      }),
    );
    assert(comparing !== undefined);
    reads = 0;
    assert.deepEqual(finish(comparing.evaluating({ list: items().reverse() }, { list: items() }, '')), []);
    assert(reads < 60 * count, `${reads} reads of ${2 * count} keys`);
  });

  it('are evaluated in steps', () => {
    const work = rules.evaluating({ list: items() }, { list: items() }, '');
    let steps = 0;
    while (work.next().done !== true) steps++;
    assert(steps >= count / 100, `${steps} steps`);
  });
});
