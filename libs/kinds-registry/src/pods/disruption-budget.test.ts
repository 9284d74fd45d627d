import assert from 'node:assert/strict';
import type { KubeObject } from '@apichain/meta';
import { records } from '@apichain/kinds';
import { takeDisruption } from './disruption-budget.ts';

const budget = (status: object): KubeObject => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: 'b', generation: 1 },
  status: { observedGeneration: 1, currentHealthy: 3, desiredHealthy: 1, expectedPods: 3, ...status },
});
const conditionsOf = (object: KubeObject) =>
  records((object.status as { conditions?: unknown }).conditions).map(({ lastTransitionTime, ...rest }) => {
    assert.equal(typeof lastTransitionTime, 'string');
    return rest;
  });

describe('using a disruption', () => {
  it('reports no allowed disruptions after the last one', async () => {
    assert.deepEqual(conditionsOf(await takeDisruption(budget({ disruptionsAllowed: 2 }), 'p')), []);
    assert.deepEqual(conditionsOf(await takeDisruption(budget({ disruptionsAllowed: 1 }), 'p')), [
      { type: 'DisruptionAllowed', status: 'False', observedGeneration: 1, reason: 'InsufficientPods', message: '' },
    ]);
  });

  it('updates the existing condition', async () => {
    const before = { type: 'DisruptionAllowed', status: 'True', reason: 'SufficientPods', message: 'm' };
    const conditions = [{ ...before, lastTransitionTime: '2001-02-03T04:05:06Z' }];
    const { status } = await takeDisruption(budget({ disruptionsAllowed: 1, conditions }), 'p');
    const [condition] = records((status as { conditions: unknown }).conditions);
    assert.equal(condition?.status, 'False');
    assert.notEqual(condition?.lastTransitionTime, '2001-02-03T04:05:06Z');
  });

  it('is tracked with the field manager of the server', async () => {
    const { metadata } = await takeDisruption(budget({ disruptionsAllowed: 2 }), 'p');
    assert.deepEqual(
      metadata.managedFields?.map(({ manager, subresource }) => [manager, subresource]),
      [['kube-apiserver', 'status']],
    );
  });
});
