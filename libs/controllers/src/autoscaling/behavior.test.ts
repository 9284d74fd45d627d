import type { HPAScalingRules, HorizontalPodAutoscalerBehavior } from '@apichain/api/autoscaling/v2';
import type { Pod } from '@apichain/api/core/v1';
import assert from 'node:assert/strict';
import { type ScalingHistory, newHistory, normalize, noteChange } from './behavior.ts';
import { parseSettings } from '../settings.ts';
import { type PodMetrics, groupPods } from './pod-metrics.ts';
import { replicasForAverage, replicasForUsage, replicasForUtilization, replicasForValue } from './replica-count.ts';
import { requestsOf } from './requests.ts';

const now = Date.parse('2026-01-01T12:00:00Z');
const tolerances = { up: 0.1, down: 0.1 };
const settings = parseSettings();
const bounds = { current: 4, minReplicas: 2, maxReplicas: 20 };
const emptyHistory = (): ScalingHistory => ({ recommendations: [], ups: [], downs: [] });

describe('limits of an autoscaler', () => {
  const rules = (policies: HPAScalingRules['policies'], more: HPAScalingRules = {}): HPAScalingRules => ({
    stabilizationWindowSeconds: 0,
    selectPolicy: 'Max',
    ...(policies !== undefined && { policies }),
    ...more,
  });
  const defaults = {
    scaleUp: rules([
      { type: 'Pods', value: 4, periodSeconds: 15 },
      { type: 'Percent', value: 100, periodSeconds: 15 },
    ]),
    scaleDown: rules([{ type: 'Percent', value: 100, periodSeconds: 15 }], { stabilizationWindowSeconds: 300 }),
  };
  const rows: readonly [
    what: string,
    behavior: HorizontalPodAutoscalerBehavior | undefined,
    desired: number,
    replicas: number,
    able: string,
    limited: string,
  ][] = [
    ['no change', undefined, 4, 4, 'ReadyForNewScale', 'DesiredWithinRange'],
    ['twice as many at most', undefined, 15, 8, 'ReadyForNewScale', 'ScaleUpLimit'],
    ['the minimum', undefined, 1, 2, 'ReadyForNewScale', 'TooFewReplicas'],
    ['the default policies', defaults, 15, 8, 'ReadyForNewScale', 'ScaleUpLimit'],
    [
      'the policy that changes less',
      {
        ...defaults,
        scaleUp: rules(
          [
            { type: 'Pods', value: 1, periodSeconds: 15 },
            { type: 'Percent', value: 100, periodSeconds: 15 },
          ],
          { selectPolicy: 'Min' },
        ),
      },
      15,
      5,
      'ReadyForNewScale',
      'ScaleUpLimit',
    ],
    [
      'a direction that is off',
      { ...defaults, scaleDown: rules([], { selectPolicy: 'Disabled' }) },
      2,
      4,
      'ReadyForNewScale',
      'ScaleDownLimit',
    ],
    [
      'a share of few, rounded up',
      { ...defaults, scaleUp: rules([{ type: 'Percent', value: 10, periodSeconds: 15 }]) },
      15,
      5,
      'ReadyForNewScale',
      'ScaleUpLimit',
    ],
    [
      'one at a time',
      { ...defaults, scaleDown: rules([{ type: 'Pods', value: 1, periodSeconds: 60 }]) },
      2,
      3,
      'ReadyForNewScale',
      'ScaleDownLimit',
    ],
  ];
  for (const [what, behavior, desired, replicas, able, limited] of rows)
    it(what, () => {
      const spec = behavior === undefined ? {} : { behavior };
      const found = normalize(spec, emptyHistory(), bounds, desired, now, 300_000);
      assert.deepEqual([found.replicas, found.able.reason, found.limited.reason], [replicas, able, limited]);
    });

  it('keep the highest recommendation of five minutes', () => {
    const history = newHistory(4, now);
    assert.equal(normalize({}, history, bounds, 2, now + 299_000, 300_000).able.reason, 'ScaleDownStabilized');
    assert.equal(normalize({}, history, bounds, 2, now + 301_000, 300_000).replicas, 2);
  });
  it('keep the lowest recommendation of the window for growth', () => {
    const behavior = { ...defaults, scaleUp: { ...defaults.scaleUp, stabilizationWindowSeconds: 60 } };
    const history = emptyHistory();
    normalize({ behavior }, history, bounds, 5, now, 300_000);
    const found = normalize({ behavior }, history, bounds, 8, now + 30_000, 300_000);
    assert.deepEqual([found.replicas, found.able.reason], [5, 'ScaleUpStabilized']);
  });
  it('count changes of the period', () => {
    const spec = { behavior: { ...defaults, scaleUp: rules([{ type: 'Pods', value: 4, periodSeconds: 60 }]) } };
    const history = emptyHistory();
    noteChange(spec, history, 4, 7, now - 30_000);
    assert.equal(normalize(spec, history, { ...bounds, current: 7 }, 20, now, 300_000).replicas, 8);
    assert.equal(normalize(spec, history, { ...bounds, current: 7 }, 20, now + 31_000, 300_000).replicas, 11);
  });
});

describe('replicas for metrics', () => {
  const pod = (name: string, phase = 'Running', cpu = '100m'): Pod => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: { containers: [{ name: 'main', resources: { requests: { cpu } } }] },
    status: {
      phase,
      startTime: '2026-01-01T11:00:00Z',
      conditions: [
        { type: 'Ready', status: phase === 'Running' ? 'True' : 'False', lastTransitionTime: '2026-01-01T11:00:05Z' },
      ],
    },
  });
  const metrics = (values: Record<string, number>): PodMetrics =>
    new Map(Object.entries(values).map(([name, value]) => [name, { value, timestamp: now, windowMs: 30_000 }]));
  const of = (...pods: Pod[]) => ({ currentReplicas: pods.length, tolerances, pods, now, settings });
  const utilization = (pods: Pod[], values: Record<string, number>, target = 50) => {
    const found = replicasForUtilization(
      of(...pods),
      metrics(values),
      () => requestsOf(pods, 'cpu', ''),
      target,
      'cpu',
    );
    return `${found.replicas} at ${found.utilization}%`;
  };
  it('follow the utilization', () => {
    assert.equal(utilization([pod('a'), pod('b')], { a: 100, b: 100 }), '4 at 100%');
    assert.equal(utilization([pod('a'), pod('b')], { a: 52, b: 50 }), '2 at 51%');
    assert.equal(utilization([pod('a'), pod('b'), pod('c')], { a: 10, b: 10, c: 10 }), '1 at 10%');
  });
  it('count pods without metrics rather against a change', () => {
    assert.equal(utilization([pod('a'), pod('b'), pod('c')], { a: 100 }), '3 at 100%');
    assert.equal(utilization([pod('a'), pod('b'), pod('c')], { a: 10, b: 10 }), '3 at 10%');
    assert.equal(utilization([pod('a'), pod('b', 'Pending')], { a: 300 }), '6 at 300%');
  });
  it('need requests, pods and measurements', () => {
    const without: Pod = { ...pod('a'), spec: { containers: [{ name: 'main' }] } };
    assert.throws(
      () => utilization([without], { a: 1 }),
      /^Error: missing request for cpu in container main of Pod a$/,
    );
    assert.throws(() => utilization([], { a: 1 }), /no pods returned by selector/);
    assert.throws(() => utilization([pod('a', 'Pending')], { a: 1 }), /did not receive metrics for targeted pods/);
  });
  it('follow the use of each pod, and values of others', () => {
    assert.equal(replicasForUsage(of(pod('a'), pod('b')), metrics({ a: 30_000, b: 10_000 }), 10_000, '').replicas, 4);
    assert.deepEqual(replicasForValue(of(pod('a'), pod('b')), 30_000, 10_000), { usage: 30_000, replicas: 6 });
    assert.deepEqual(replicasForAverage(2, tolerances, 30_000, 10_000), { usage: 15_000, replicas: 3 });
    assert.deepEqual(replicasForAverage(3, tolerances, 31_000, 10_000), { usage: 10_334, replicas: 3 });
  });
  it('leave out processor time with which pods start', () => {
    const young: Pod = {
      ...pod('a'),
      status: {
        ...pod('a').status,
        startTime: '2026-01-01T11:59:00Z',
        conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T11:59:50Z' }],
      },
    };
    assert.deepEqual(groupPods([young], metrics({ a: 1 }), 'cpu', { now, settings }).unready, ['a']);
    assert.deepEqual(groupPods([young], metrics({ a: 1 }), 'memory', { now, settings }).ready, 1);
    const flags = parseSettings({
      'horizontal-pod-autoscaler-cpu-initialization-period': '10s',
      'horizontal-pod-autoscaler-initial-readiness-delay': '10s',
    });
    assert.deepEqual(groupPods([young], metrics({ a: 1 }), 'cpu', { now, settings: flags }).ready, 1);
  });
});
