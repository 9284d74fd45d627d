import assert from 'node:assert/strict';
import { evaluators, objectCounter, writeResourceList } from '@apichain/admission/quota';
import type { Pod, ResourceQuota } from '@apichain/api/core/v1';
import { countsDifferently, isUsageMissing, statusWith, usageOf } from './usage.ts';

const newQuota = (spec: ResourceQuota['spec'], status: ResourceQuota['status'] = {}): ResourceQuota => ({
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { name: 'q', namespace: 'ns' },
  spec: spec ?? {},
  status: status ?? {},
});
const newPod = (more: Partial<Pod['spec']> = {}, phase = 'Running'): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'ns' },
  spec: { containers: [{ name: 'a', image: 'a', resources: { requests: { cpu: '100m' } } }], ...more },
  status: { phase },
});
const podEvaluator = evaluators.get('pods') ?? assert.fail();
const counts = objectCounter({ group: 'apps', resource: 'deployments' });

describe('the usage of a quota', () => {
  const pods = [
    newPod(),
    newPod({ priorityClassName: 'high' }),
    newPod({ activeDeadlineSeconds: 1 }),
    newPod({}, 'Failed'),
  ];
  const rows: readonly [spec: ResourceQuota['spec'], usage: Readonly<Record<string, string>>][] = [
    [
      { hard: { pods: '9', 'count/pods': '9', cpu: '9', 'limits.cpu': '9' } },
      { pods: '3', 'count/pods': '4', cpu: '300m', 'limits.cpu': '0' },
    ],
    [{ hard: { pods: '9' }, scopes: ['Terminating'] }, { pods: '1' }],
    [{ hard: { pods: '9' }, scopes: ['NotTerminating', 'BestEffort'] }, { pods: '0' }],
    [
      {
        hard: { pods: '9' },
        scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'NotIn', values: ['high'] }] },
      },
      { pods: '2' },
    ],
    [{ hard: { 'count/deployments.apps': '2', 'requests.storage': '1' } }, { 'count/deployments.apps': '1' }],
  ];
  for (const [spec, usage] of rows)
    it(`is counted: ${JSON.stringify(spec)}`, () => {
      const counted = [
        { evaluator: podEvaluator, objects: pods },
        { evaluator: counts, objects: [{ apiVersion: '', kind: '', metadata: {} }] },
      ];
      assert.deepEqual(writeResourceList(usageOf(newQuota(spec), counted)), usage);
    });

  it('replaces the former one, as far as it is counted and limited', () => {
    const quota = newQuota(
      { hard: { pods: '9', 'requests.storage': '1Gi' } },
      { hard: { pods: '5' }, used: { pods: '3', 'requests.storage': '1', services: '2' } },
    );
    const counted = [{ evaluator: podEvaluator, objects: [newPod()] }];
    const status = statusWith(quota, usageOf(quota, counted));
    assert.deepEqual(status, {
      hard: { pods: '9', 'requests.storage': '1Gi' },
      used: { pods: '1', 'requests.storage': '1' },
    });
    const current = { ...quota, status: status ?? {} };
    assert.equal(statusWith(current, usageOf(current, counted)), undefined);
    assert.deepEqual(statusWith(newQuota({ hard: {} }), new Map()), { hard: {}, used: {} });
  });

  it('is missing when limits have changed, or something that can be counted is not', () => {
    const missing = (hard: Record<string, string>, status: ResourceQuota['status']) =>
      isUsageMissing(newQuota({ hard }, status), [podEvaluator]);
    assert.equal(missing({ pods: '1' }, {}), true);
    assert.equal(missing({ pods: '1' }, { hard: { pods: '1' } }), true);
    assert.equal(missing({ pods: '1' }, { hard: { pods: '1' }, used: { pods: '0' } }), false);
    assert.equal(missing({ pods: '2' }, { hard: { pods: '1' }, used: { pods: '0' } }), true);
    assert.equal(missing({ other: '1' }, { hard: { other: '1' } }), false);
  });

  it('changes when a pod ends or gets a deadline, and not with other changes', () => {
    assert.equal(countsDifferently(podEvaluator, newPod({}, 'Succeeded'), newPod()), true);
    assert.equal(countsDifferently(podEvaluator, newPod({ activeDeadlineSeconds: 1 }), newPod()), true);
    assert.equal(countsDifferently(podEvaluator, newPod({ nodeName: 'n' }), newPod()), false);
  });
});
