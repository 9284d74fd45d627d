import type { Pod } from '@apichain/api/core/v1';
import type { PodDisruptionBudget, PodDisruptionBudgetSpec } from '@apichain/api/policy/v1';
import assert from 'node:assert/strict';
import { budgetStatus, countHealthy, expectation, followEvictions } from './budget.ts';

const now = Date.parse('2026-01-01T12:00:00Z');
const budget = (spec: PodDisruptionBudgetSpec, disruptedPods: Record<string, string> = {}): PodDisruptionBudget => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: 'b', generation: 2 },
  spec,
  status: { disruptedPods },
});
const pod = (name: string, ready = true, deleted = false): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, ...(deleted && { deletionTimestamp: '2026-01-01T12:00:00Z' }) },
  status: { conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
});

describe('disruption budgets', () => {
  const rows: readonly [
    spec: PodDisruptionBudgetSpec,
    pods: number,
    replicas: number,
    expected: number,
    healthy: number,
  ][] = [
    [{ minAvailable: 2 }, 3, 0, 3, 2],
    [{ minAvailable: '50%' }, 3, 5, 5, 3],
    [{ maxUnavailable: 1 }, 3, 5, 5, 4],
    [{ maxUnavailable: '30%' }, 3, 5, 5, 3],
    [{ maxUnavailable: 9 }, 3, 5, 5, 0],
  ];
  for (const [spec, pods, replicas, expectedPods, desiredHealthy] of rows)
    it(`${JSON.stringify(spec)} of ${replicas} replicas`, () =>
      assert.deepEqual(expectation(budget(spec), pods, replicas), { expectedPods, desiredHealthy }));

  it('remember pods that are to be evicted for two minutes', () => {
    const disrupted = {
      a: '2026-01-01T11:59:00Z',
      b: '2026-01-01T11:50:00Z',
      c: '2026-01-01T11:59:30Z',
      d: '2026-01-01T11:59:30Z',
    };
    const pods = [pod('a'), pod('b'), pod('c', true, true), pod('e'), pod('f', false)];
    const { disruptedPods, notDeleted, lookAgain } = followEvictions(budget({}, disrupted), pods, now);
    assert.deepEqual(disruptedPods, { a: '2026-01-01T11:59:00Z' });
    assert.deepEqual(
      notDeleted.map(({ metadata }) => metadata.name),
      ['b'],
    );
    assert.equal(lookAgain, now + 60_000);
    assert.equal(countHealthy(pods, disruptedPods), 2);
  });
  it('allow nothing without pods', () => {
    const status = budgetStatus(budget({}), { currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 }, {}, now);
    assert.equal(status.disruptionsAllowed, 0);
    assert.deepEqual(status.conditions, [
      {
        ...{ type: 'DisruptionAllowed', status: 'False', observedGeneration: 2 },
        ...{ lastTransitionTime: '2026-01-01T12:00:00Z', reason: 'InsufficientPods', message: '' },
      },
    ]);
  });
});
