import assert from 'node:assert/strict';
import type { TopologySpreadConstraint } from '@apichain/api/core/v1';
import { type TestNode, type TestPod, testCluster, testPodInfo } from '../../cluster/objects.fixture.ts';
import { rejectionsOf, scoresOf } from '../plugins.fixture.ts';
import { podTopologySpread } from './plugin.ts';

const web: TestPod = { labels: { app: 'web' } };
const zone = (name: string, more: TestNode = {}): TestNode => ({
  ...more,
  labels: { zone: name, 'topology.kubernetes.io/zone': name },
});
const nodes = { n1: zone('a'), n2: zone('a'), n3: zone('b'), n4: {} };

const constraint = (more: Partial<TopologySpreadConstraint> = {}): TopologySpreadConstraint => ({
  maxSkew: 1,
  topologyKey: 'zone',
  whenUnsatisfiable: 'DoNotSchedule',
  labelSelector: { matchLabels: { app: 'web' } },
  ...more,
});
const spreading = (...constraints: TopologySpreadConstraint[]): TestPod => ({
  ...web,
  spec: { topologySpreadConstraints: constraints },
});

const notMatched = "U node(s) didn't match pod topology spread constraints";
const noLabel = "X node(s) didn't match pod topology spread constraints (missing required label)";

const rejections = (
  pod: TestPod,
  placed: Parameters<typeof testCluster>[1] = {},
  all: Record<string, TestNode> = nodes,
) => rejectionsOf(podTopologySpread, testPodInfo('subject', pod), testCluster(all, placed));

describe('PodTopologySpread', () => {
  it('keeps the skew within the bound', () => {
    assert.deepEqual(rejections(spreading(constraint()), { n1: { first: web } }), {
      n1: notMatched,
      n2: notMatched,
      n3: '',
      n4: noLabel,
    });
    assert.equal(rejections(spreading(constraint({ maxSkew: 2 })), { n1: { first: web } })['n2'], '');
  });

  it('counts pods of the namespace that are not terminating', () => {
    const others = {
      terminating: { ...web, deletionTimestamp: '2026-01-01T00:00:00Z' },
      foreign: { ...web, namespace: 'team' },
    };
    assert.equal(rejections(spreading(constraint()), { n1: others })['n1'], '');
  });

  it('counts a pod that the selector does not select as none', () => {
    const pod = { spec: { topologySpreadConstraints: [constraint()] } };
    assert.equal(rejections(pod, { n1: { first: web } })['n1'], '');
    assert.equal(rejections(pod, { n1: { first: web, second: web } })['n1'], notMatched);
  });

  it('expects a domain without pods when there are fewer than minDomains', () => {
    assert.equal(
      rejections(spreading(constraint({ minDomains: 3 })), { n1: { a: web }, n3: { b: web } })['n3'],
      notMatched,
    );
  });

  it('narrows the selector by matchLabelKeys', () => {
    const pod = { ...spreading(constraint({ matchLabelKeys: ['version'] })), labels: { app: 'web', version: '2' } };
    const old = { labels: { app: 'web', version: '1' } };
    assert.equal(rejections(pod, { n1: { old } })['n1'], '');
    assert.equal(rejections(pod, { n1: { same: { labels: { app: 'web', version: '2' } } } })['n1'], notMatched);
  });

  it('leaves out nodes that the pod cannot go to, as the policies say', () => {
    const all = { n1: zone('a'), n2: zone('b', { spec: { taints: [{ key: 'k', effect: 'NoSchedule' }] } }) };
    const placed = { n1: { first: web } };
    assert.equal(rejections(spreading(constraint()), placed, all)['n1'], notMatched);
    assert.equal(rejections(spreading(constraint({ nodeTaintsPolicy: 'Honor' })), placed, all)['n1'], '');
    const selective = { ...web, spec: { nodeSelector: { zone: 'a' }, topologySpreadConstraints: [constraint()] } };
    assert.equal(rejections(selective, placed, all)['n1'], '');
    const ignoring = {
      ...web,
      spec: { nodeSelector: { zone: 'a' }, topologySpreadConstraints: [constraint({ nodeAffinityPolicy: 'Ignore' })] },
    };
    assert.equal(rejections(ignoring, placed, all)['n1'], notMatched);
  });

  const scores = (pod: TestPod, placed: Parameters<typeof testCluster>[1] = {}) =>
    scoresOf(podTopologySpread, testPodInfo('subject', pod), testCluster(nodes, placed));

  it('prefers domains with fewer pods', () => {
    const pod = spreading(constraint({ whenUnsatisfiable: 'ScheduleAnyway' }));
    assert.deepEqual(scores(pod, { n1: { a: web, b: web }, n3: { c: web } }), { n1: 33, n2: 33, n3: 100, n4: 0 });
    assert.equal(scores({}), undefined);
  });

  it('spreads the pods of a Service, a ReplicaSet and a StatefulSet by default', () => {
    const cluster = testCluster(nodes, { n1: { first: web }, n3: { other: {} } });
    const { services, replicaSets, statefulSets } = cluster.objects;
    const workload = {
      metadata: { name: 'owner', namespace: 'default' },
      spec: { selector: { matchLabels: { app: 'web' } } },
    };
    replicaSets.set({ ...workload, apiVersion: 'apps/v1', kind: 'ReplicaSet' });
    statefulSets.set({ ...workload, apiVersion: 'apps/v1', kind: 'StatefulSet' });
    const inOrder = (pod: TestPod) => {
      const { n1 = -1, n2 = -1, n3 = -1 } = scoresOf(podTopologySpread, testPodInfo('subject', pod), cluster) ?? {};
      return n1 < n2 && n2 < n3;
    };
    for (const kind of ['ReplicaSet', 'StatefulSet'])
      assert.ok(inOrder({ ...web, owner: { apiVersion: 'apps/v1', kind, name: 'owner' } }), kind);
    assert.equal(scoresOf(podTopologySpread, testPodInfo('subject', web), cluster), undefined);
    services.set({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'web', namespace: 'default' },
      spec: { selector: { app: 'web' } },
    });
    assert.ok(inOrder(web), 'Service');
  });
});
