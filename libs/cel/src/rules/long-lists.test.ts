import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
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

  it('find the old item of each with an index', async () => {
    reads = 0;
    assert.deepEqual(await rules.evaluate({ list: items().reverse() }, { list: items() }, ''), []);
    assert(reads < 30 * count, `${reads} reads of ${2 * count} keys`);
  });

  it('compare and join lists by their keys with an index', async () => {
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
    assert.deepEqual(await comparing.evaluate({ list: items().reverse() }, { list: items() }, ''), []);
    assert(reads < 60 * count, `${reads} reads of ${2 * count} keys`);
  });

  it('let other work run in between', async () => {
    const schema: JsonSchemaProps = {
      type: 'object',
      properties: { list: { type: 'array', items: { type: 'integer' } } },
      'x-kubernetes-validations': Array.from({ length: 200 }, (_, i) => ({ rule: `self.list.all(x, x != ${i})` })),
    };
    const many = celRules.compile(structuralType(schema));
    const evaluated = many?.evaluate({ list: Array.from({ length: count }, () => -1) }, undefined, '');
    let isDone = false;
    void evaluated?.finally(() => (isDone = true));
    let turns = 0;
    for (; !isDone; turns++) await nextTurn();
    assert.deepEqual(await evaluated, []);
    assert(turns > 2, `${turns} turns`);
  });
});
