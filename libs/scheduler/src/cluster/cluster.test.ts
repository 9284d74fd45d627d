import assert from 'node:assert/strict';
import { type TestPod, testCluster, testPod } from './objects.fixture.ts';
import type { PodInfo } from './pod-info.ts';

describe('Cluster', () => {
  it('counts each state of a pod that is on a node', () => {
    const cluster = testCluster(
      { n1: {}, n2: {} },
      { n1: { web: { labels: { app: 'web' }, requests: { cpu: '1' } } } },
    );
    let looks = 0;
    const includes = ({ labels, isTerminating }: PodInfo) => {
      looks++;
      return labels?.['app'] === 'web' && !isTerminating;
    };
    const counts = () => [...cluster.podCounts({ key: 'web', includes })];
    const report = (pod: TestPod, nodeName = 'n1') => cluster.setPod(testPod('web', { ...pod, spec: { nodeName } }));
    const labels = { app: 'web' };
    assert.deepEqual(counts(), [['n1', 1]]);

    // What a status says does not change the counts, and what the pod takes of its node is known from the newest state.
    looks = 0;
    report({ labels, status: { phase: 'Running' } });
    assert.deepEqual([counts(), looks], [[['n1', 1]], 0]);
    assert.equal(cluster.node('n1')?.requested.milliCPU, 0);
    assert.equal(cluster.placedPod('web')?.pod.status?.phase, 'Running');

    report({ labels: { app: 'other' } });
    assert.deepEqual(counts(), []);
    report({ labels });
    assert.deepEqual(counts(), [['n1', 1]]);
    report({ labels, deletionTimestamp: '2026-01-01T00:00:00Z' });
    assert.deepEqual(counts(), []);
    report({ labels }, 'n2');
    assert.deepEqual(counts(), [['n2', 1]]);
    cluster.removePod('web');
    assert.deepEqual(counts(), []);
  });
});
