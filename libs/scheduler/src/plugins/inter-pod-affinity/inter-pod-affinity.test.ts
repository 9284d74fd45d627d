import assert from 'node:assert/strict';
import type { PodSpec } from '@apichain/api/core/v1';
import { type TestPod, testCluster, testPodInfo } from '../../cluster/objects.fixture.ts';
import { rejectionsOf, scoresOf } from '../plugins.fixture.ts';
import { interPodAffinity } from './plugin.ts';

const zones = { n1: { labels: { zone: 'a' } }, n2: { labels: { zone: 'a' } }, n3: { labels: { zone: 'b' } }, n4: {} };

const term = (app: string, topologyKey = 'zone', more: object = {}) => ({
  labelSelector: { matchLabels: { app } },
  topologyKey,
  ...more,
});
const required = (kind: 'podAffinity' | 'podAntiAffinity', ...terms: object[]): PodSpec => ({
  affinity: { [kind]: { requiredDuringSchedulingIgnoredDuringExecution: terms } },
});
const preferred = (kind: 'podAffinity' | 'podAntiAffinity', weight: number, podAffinityTerm: object): PodSpec => ({
  affinity: { [kind]: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight, podAffinityTerm }] } },
});
const web: TestPod = { labels: { app: 'web' } };

const rejections = (pod: TestPod, placed: Parameters<typeof testCluster>[1] = {}) =>
  rejectionsOf(interPodAffinity, testPodInfo('subject', pod), testCluster(zones, placed));

const noAffinity = "X node(s) didn't match pod affinity rules";
const ownAntiAffinity = "U node(s) didn't match pod anti-affinity rules";
const others = "U node(s) didn't satisfy existing pods anti-affinity rules";

describe('InterPodAffinity', () => {
  it('keeps a pod with the pods that it must be with', () => {
    const pod = { spec: required('podAffinity', term('web')) };
    assert.deepEqual(rejections(pod, { n1: { first: web } }), { n1: '', n2: '', n3: noAffinity, n4: noAffinity });
    assert.deepEqual(rejections(pod), { n1: noAffinity, n2: noAffinity, n3: noAffinity, n4: noAffinity });
  });

  it('lets the first pod of a group that wants to be together go anywhere with the label', () => {
    const pod = { ...web, spec: required('podAffinity', term('web')) };
    assert.deepEqual(rejections(pod), { n1: '', n2: '', n3: '', n4: noAffinity });
  });

  it('needs one pod that all affinity terms select', () => {
    const pod = {
      spec: required('podAffinity', term('web'), { ...term('x'), labelSelector: { matchLabels: { tier: 'front' } } }),
    };
    const both = { labels: { app: 'web', tier: 'front' } };
    assert.equal(rejections(pod, { n1: { a: web, b: { labels: { tier: 'front' } } } })['n1'], noAffinity);
    assert.equal(rejections(pod, { n1: { a: both } })['n1'], '');
  });

  it('keeps a pod apart from the pods that it must not be with', () => {
    const pod = { spec: required('podAntiAffinity', term('web')) };
    assert.deepEqual(rejections(pod, { n1: { first: web } }), {
      n1: ownAntiAffinity,
      n2: ownAntiAffinity,
      n3: '',
      n4: '',
    });
  });

  it('keeps a pod apart from pods that must not be with it', () => {
    const hermit = { spec: required('podAntiAffinity', term('web', 'kubernetes.io/hostname')) };
    assert.deepEqual(rejections(web, { n1: { hermit } }), { n1: others, n2: '', n3: '', n4: '' });
    assert.deepEqual(rejections({}, { n1: { hermit } }), { n1: '', n2: '', n3: '', n4: '' });
  });

  it('looks into the namespaces of the term', () => {
    const foreign = { ...web, namespace: 'team' };
    const against = (more: object) => ({ spec: required('podAntiAffinity', term('web', 'zone', more)) });
    assert.equal(rejections(against({}), { n1: { foreign } })['n1'], '');
    assert.equal(rejections(against({ namespaces: ['team'] }), { n1: { foreign } })['n1'], ownAntiAffinity);
    assert.equal(rejections(against({ namespaceSelector: {} }), { n1: { foreign } })['n1'], ownAntiAffinity);
  });

  it('selects namespaces by their labels', () => {
    const cluster = testCluster(zones, { n1: { foreign: { ...web, namespace: 'team' } } });
    const namespace = (name: string, labels: Record<string, string>) =>
      cluster.objects.namespaces.set({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } });
    namespace('team', { kind: 'red' });
    namespace('default', { kind: 'blue' });
    const against = (kind: string) =>
      testPodInfo('subject', {
        spec: required('podAntiAffinity', term('web', 'zone', { namespaceSelector: { matchLabels: { kind } } })),
      });
    assert.equal(rejectionsOf(interPodAffinity, against('red'), cluster)['n1'], ownAntiAffinity);
    assert.equal(rejectionsOf(interPodAffinity, against('blue'), cluster)['n1'], '');
  });

  it('follows pods that come and go', () => {
    const cluster = testCluster(zones, { n1: { first: web } });
    const pod = testPodInfo('subject', { spec: required('podAntiAffinity', term('web')) });
    assert.equal(rejectionsOf(interPodAffinity, pod, cluster)['n2'], ownAntiAffinity);
    cluster.assume(testPodInfo('second', web), 'n3');
    assert.equal(rejectionsOf(interPodAffinity, pod, cluster)['n3'], ownAntiAffinity);
    cluster.forget('second');
    cluster.removePod('first');
    assert.deepEqual(rejectionsOf(interPodAffinity, pod, cluster), { n1: '', n2: '', n3: '', n4: '' });
  });

  const scores = (pod: TestPod, placed: Parameters<typeof testCluster>[1] = {}) =>
    scoresOf(interPodAffinity, testPodInfo('subject', pod), testCluster(zones, placed));

  it('prefers domains by the weights of its own terms and of those of others', () => {
    const near = { spec: preferred('podAffinity', 10, term('web')) };
    assert.deepEqual(scores(near, { n1: { first: web } }), { n1: 100, n2: 100, n3: 0, n4: 0 });
    const far = { spec: preferred('podAntiAffinity', 10, term('web')) };
    assert.deepEqual(scores(far, { n1: { first: web } }), { n1: 0, n2: 0, n3: 100, n4: 100 });
    const fan = { spec: preferred('podAffinity', 4, term('web')) };
    const foe = { spec: preferred('podAntiAffinity', 2, term('web')) };
    assert.deepEqual(scores(web, { n1: { fan }, n3: { foe } }), { n1: 100, n2: 100, n3: 0, n4: 33 });
    const bound = { spec: required('podAffinity', term('web')) };
    assert.deepEqual(scores(web, { n3: { bound } }), { n1: 0, n2: 0, n3: 100, n4: 0 });
  });

  it('says nothing if no term matches', () => {
    assert.equal(scores(web), undefined);
    assert.equal(scores({ spec: preferred('podAffinity', 10, term('none')) }, { n1: { first: web } }), undefined);
  });

  it('simulates pods that are removed', () => {
    const cluster = testCluster(zones, { n1: { first: web } });
    const pod = testPodInfo('subject', { spec: required('podAntiAffinity', term('web')) });
    const filter = interPodAffinity.preFilter?.(pod, cluster);
    const node = cluster.node('n1');
    assert.ok(filter !== undefined && !('code' in filter) && node !== undefined);
    const copy = filter.clone?.();
    copy?.update?.(testPodInfo('first', web), node, -1);
    assert.equal(copy?.filter?.(node), undefined);
    assert.deepEqual(filter.filter?.(node)?.reasons, ["node(s) didn't match pod anti-affinity rules"]);
  });
});
