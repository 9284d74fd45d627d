import assert from 'node:assert/strict';
import type { Pod } from '@apichain/api/core/v1';
import { podWith } from '../workloads/objects.fixture.ts';
import { deletionCost, inDeletionOrder } from './pod-ranking.ts';

const now = Date.parse('2026-01-02T00:00:00Z');
const cost = (value: string) => ({ 'controller.kubernetes.io/pod-deletion-cost': value });
const ready = '2026-01-01T00:00:00Z';

describe('inDeletionOrder', () => {
  const cases: Record<string, { readonly first: Pod; readonly last: Pod }> = {
    'not assigned before assigned': { first: podWith('a', { ready }), last: podWith('b', { node: 'n' }) },
    'pending before running': {
      first: podWith('a', { node: 'n', phase: 'Pending', ready }),
      last: podWith('b', { node: 'n' }),
    },
    'not ready before ready': {
      first: podWith('a', { node: 'n', annotations: cost('10') }),
      last: podWith('b', { node: 'n', ready }),
    },
    'the lower cost first': {
      first: podWith('a', { node: 'n', ready, annotations: cost('-5') }),
      last: podWith('b', { node: 'n', ready: '2026-01-01T23:59:59Z' }),
    },
    'ready for a shorter time first': {
      first: podWith('a', { node: 'n', ready: '2026-01-01T23:59:00Z' }),
      last: podWith('b', { node: 'n', ready }),
    },
    'more restarts first': {
      first: podWith('a', { node: 'n', ready, restarts: 3, created: '2025-01-01T00:00:00Z' }),
      last: podWith('b', { node: 'n', ready, created: '2026-01-01T00:00:00Z' }),
    },
    'the younger first': {
      first: podWith('a', { node: 'n', ready, created: '2026-01-01T23:59:00Z' }),
      last: podWith('b', { node: 'n', ready, created: '2025-01-01T00:00:00Z' }),
    },
    'by uid if of a similar age': {
      first: podWith('a', { node: 'n', ready, created: '2025-12-31T00:00:00Z' }),
      last: podWith('b', { node: 'n', ready, created: '2025-12-31T00:10:00Z' }),
    },
  };
  for (const [name, { first, last }] of Object.entries(cases))
    it(name, () => {
      for (const pods of [
        [first, last],
        [last, first],
      ])
        assert.deepEqual(
          inDeletionOrder(pods, [], now).map(({ metadata }) => metadata.name),
          ['a', 'b'],
        );
    });

  it('puts pods with more neighbours first', () => {
    const pods = ['n1', 'n2', 'n2'].map((node, i) => podWith(`p${i}`, { node, ready }));
    const ended = podWith('ended', { node: 'n1', phase: 'Failed' });
    const order = inDeletionOrder(pods, [...pods, ended, ended, ended], now);
    assert.equal(order.at(-1)?.metadata.name, 'p0');
  });
});

describe('deletionCost', () => {
  for (const [text, expected] of [
    ['10', 10],
    ['-10', -10],
    ['0', 0],
    ['+10', 0],
    ['010', 0],
    ['4294967296', 0],
    ['x', 0],
  ] as const)
    it(`${text} is ${expected}`, () => assert.equal(deletionCost(podWith('a', { annotations: cost(text) })), expected));
});
