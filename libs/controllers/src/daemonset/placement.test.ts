import assert from 'node:assert/strict';
import type { DaemonSet } from '@apichain/api/apps/v1';
import type { Pod } from '@apichain/api/core/v1';
import { nodeWith, podWith, templateWith } from '../workloads/objects.fixture.ts';
import { daemonTemplate, daemonTolerations, eligibilityOf, targetNode } from './daemon-pod.ts';
import { FailedPods } from './controller.ts';
import {
  type Changes,
  type Placement,
  daemonNodes,
  groupByNode,
  placePods,
  updateLimits,
  updateStep,
} from './placement.ts';
import { daemonSetStatus } from './status.ts';

const now = Date.parse('2026-01-02T00:00:00Z');
const ready = '2026-01-01T00:00:00Z';
const current = { 'controller-revision-hash': 'new' };
const former = { 'controller-revision-hash': 'old' };

const daemonSet = (rollingUpdate: object = { maxUnavailable: 1 }, spec: DaemonSet['spec'] = {}): DaemonSet => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'agent', generation: 2 },
  spec: { template: templateWith('a'), updateStrategy: { type: 'RollingUpdate', rollingUpdate }, ...spec },
});
const placement = (
  pods: readonly Pod[],
  set = daemonSet(),
  nodes = ['n1', 'n2', 'n3'].map((n) => nodeWith(n)),
): Placement => ({
  daemonSet: set,
  hash: 'new',
  nodes: daemonNodes(set, nodes),
  podsByNode: groupByNode(pods),
  now,
});
const names = ({ create, remove }: Changes) => ({ create, remove: remove.map(({ metadata }) => metadata.name) });
const on = (node: string, labels: Record<string, string>, more: Parameters<typeof podWith>[1] = {}) =>
  podWith(`${node}-${labels['controller-revision-hash']}`, { node, labels, ready, ...more });

describe('eligibilityOf', () => {
  const tainted = (effect: string, key = 'gpu') => nodeWith('n', { spec: { taints: [{ key, value: 'yes', effect }] } });
  const selecting = (spec: object): DaemonSet => daemonSet({}, { template: { spec } });
  for (const [what, set, node, shouldRun, mayStay] of [
    ['any node', daemonSet(), nodeWith('n'), true, true],
    ['NoSchedule', daemonSet(), tainted('NoSchedule'), false, true],
    ['NoExecute', daemonSet(), tainted('NoExecute'), false, false],
    ['PreferNoSchedule', daemonSet(), tainted('PreferNoSchedule'), true, true],
    ['a node with a problem', daemonSet(), tainted('NoExecute', 'node.kubernetes.io/not-ready'), true, true],
    ['another node name', selecting({ nodeName: 'm' }), nodeWith('n'), false, false],
    ['the node selector', selecting({ nodeSelector: { a: 'b' } }), nodeWith('n', { labels: { a: 'b' } }), true, true],
    ['another label', selecting({ nodeSelector: { a: 'b' } }), nodeWith('n'), false, false],
    [
      'a tolerated taint',
      selecting({ tolerations: [{ key: 'gpu', operator: 'Equal', value: 'yes', effect: 'NoExecute' }] }),
      tainted('NoExecute'),
      true,
      true,
    ],
  ] as const)
    it(`${what}: ${shouldRun}, ${mayStay}`, () => assert.deepEqual(eligibilityOf(set, node), { shouldRun, mayStay }));
});

describe('daemonTemplate', () => {
  it('selects its node by name and has the hash', () => {
    const pod = daemonTemplate(daemonSet(), 'new', 'n1');
    assert.equal(targetNode(podWith('p', pod.spec && { spec: pod.spec })), 'n1');
    assert.equal(pod.metadata?.labels?.['controller-revision-hash'], 'new');
  });
  it('tolerates nodes without a network only in that of the host', () => {
    assert.equal(daemonTolerations({}).length, 6);
    assert.equal(daemonTolerations({ hostNetwork: true }).at(-1)?.key, 'node.kubernetes.io/network-unavailable');
  });
  it('replaces a toleration with a time limit', () => {
    const own = { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 };
    assert.deepEqual(daemonTolerations({ tolerations: [own] })[0]?.tolerationSeconds, undefined);
  });
});

describe('placePods', () => {
  const mayReplace = () => true;
  it('creates a pod on each node that has none, and keeps the oldest of several', () => {
    const pods = [
      on('n1', current, { created: '2026-01-01T00:00:00Z' }),
      podWith('younger', { node: 'n1', created: '2026-01-01T00:00:01Z' }),
    ];
    assert.deepEqual(names(placePods(placement(pods), mayReplace)), { create: ['n2', 'n3'], remove: ['younger'] });
  });
  it('deletes ended pods and waits until they are gone', () => {
    const failed = podWith('failed', { node: 'n1', phase: 'Failed' });
    const going = podWith('going', { node: 'n2', isDeleted: true });
    const pods = [failed, going, on('n3', current)];
    assert.deepEqual(names(placePods(placement(pods), mayReplace)), { create: [], remove: ['failed'] });
    assert.deepEqual(names(placePods(placement(pods), () => false)), { create: [], remove: [] });
  });
  it('deletes pods of nodes that are not eligible, and unbound ones of nodes that do not exist', () => {
    const nodes = [nodeWith('n1', { spec: { taints: [{ key: 'gpu', effect: 'NoExecute' }] } })];
    const { spec } = daemonTemplate(daemonSet(), 'new', 'gone');
    const pods = [on('n1', current), podWith('unbound', { ...(spec && { spec }) }), on('other', current)];
    const changes = names(placePods(placement(pods, daemonSet(), nodes), mayReplace));
    assert.deepEqual(changes, { create: [], remove: ['n1-new', 'unbound'] });
  });
  it('keeps an old and a new pod during a surge, until the new one is available', () => {
    const set = daemonSet({ maxSurge: 1, maxUnavailable: 0 }, { minReadySeconds: 10 });
    const nodes = [nodeWith('n1')];
    const waiting = [on('n1', former), on('n1', current, { ready: '2026-01-01T23:59:55Z' })];
    assert.deepEqual(names(placePods(placement(waiting, set, nodes), mayReplace)).remove, []);
    const done = [on('n1', former), on('n1', current)];
    assert.deepEqual(names(placePods(placement(done, set, nodes), mayReplace)).remove, ['n1-old']);
  });
});

describe('updateStep', () => {
  it('replaces as many pods as may be unavailable', () => {
    const pods = [on('n1', former), on('n2', former), on('n3', current)];
    assert.deepEqual(names(updateStep(placement(pods))).remove, ['n1-old']);
    const more = placement(pods, daemonSet({ maxUnavailable: '50%' }));
    assert.deepEqual(names(updateStep(more)).remove, ['n1-old', 'n2-old']);
  });
  it('counts nodes without an available pod as unavailable', () => {
    const pods = [on('n1', former), on('n2', current, { ready: '2026-01-02T00:00:00Z' })];
    const set = daemonSet({ maxUnavailable: 2 }, { minReadySeconds: 5 });
    assert.deepEqual(names(updateStep(placement(pods, set))).remove, []);
  });
  it('replaces pods that are not available at once', () => {
    const pods = [podWith('broken', { node: 'n1', labels: former }), on('n2', former), on('n3', former)];
    assert.deepEqual(names(updateStep(placement(pods))).remove, ['broken']);
  });
  it('creates as many pods besides as the surge has', () => {
    const pods = [on('n1', former), on('n2', former), on('n3', former), on('n3', current)];
    const surge = (maxSurge: number) => placement(pods, daemonSet({ maxSurge, maxUnavailable: 0 }));
    assert.deepEqual(names(updateStep(surge(1))), { create: ['n1'], remove: ['n3-old'] });
    assert.deepEqual(names(updateStep(surge(2))), { create: ['n1', 'n2'], remove: ['n3-old'] });
  });
});

describe('updateLimits', () => {
  for (const [rollingUpdate, desired, expected] of [
    [{ maxUnavailable: '10%' }, 5, { maxSurge: 0, maxUnavailable: 1 }],
    [{ maxSurge: '10%', maxUnavailable: 0 }, 11, { maxSurge: 2, maxUnavailable: 0 }],
    [{ maxSurge: 0, maxUnavailable: 0 }, 5, { maxSurge: 0, maxUnavailable: 1 }],
  ] as const)
    it(JSON.stringify(rollingUpdate), () =>
      assert.deepEqual(updateLimits(daemonSet(rollingUpdate), desired), expected),
    );
});

describe('daemonSetStatus', () => {
  it('counts nodes', () => {
    const nodes = [
      nodeWith('n1'),
      nodeWith('n2'),
      nodeWith('n3', { spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] } }),
    ];
    const pods = [on('n1', current), on('n3', former)];
    assert.deepEqual(daemonSetStatus(placement(pods, daemonSet(), nodes), true), {
      ...{ currentNumberScheduled: 1, numberMisscheduled: 1, desiredNumberScheduled: 2, numberReady: 1 },
      ...{ observedGeneration: 2, updatedNumberScheduled: 1, numberAvailable: 1, numberUnavailable: 1 },
    });
  });
});

describe('FailedPods', () => {
  it('keeps failed pods longer each time, and starts again after a long while', () => {
    const failed = new FailedPods();
    assert.equal(failed.replaceIn('k', 0), 0);
    assert.equal(failed.replaceIn('k', 400), 600);
    assert.equal(failed.replaceIn('k', 1_000), 0);
    assert.equal(failed.replaceIn('k', 1_500), 1_500);
    assert.equal(failed.replaceIn('other', 1_500), 0);
    assert.equal(failed.replaceIn('k', 10_000_000), 0);
    assert.equal(failed.replaceIn('k', 10_000_500), 500);
  });
});
