import assert from 'node:assert/strict';
import type { Deployment } from '@apichain/api/apps/v1';
import type { HorizontalPodAutoscaler } from '@apichain/api/autoscaling/v2';
import type { Pod } from '@apichain/api/core/v1';
import { asError } from '@apichain/meta';
import { WorkloadChain, soon } from './workload-chain.ts';
import { eventually } from './workload-objects.ts';

const periodMs = 15_000;

/** A custom resource in the place of the metrics of pods: what metrics-server serves, the test writes. */
const podMetrics = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'pods.metrics.k8s.io', annotations: { 'api-approved.kubernetes.io': 'unapproved, for a test' } },
  spec: {
    group: 'metrics.k8s.io',
    scope: 'Namespaced',
    names: { plural: 'pods', singular: 'podmetrics', kind: 'PodMetrics', listKind: 'PodMetricsList' },
    versions: [
      {
        name: 'v1beta1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

describe('horizontal pod autoscaler', function () {
  this.timeout(480_000);

  const now = (chain: WorkloadChain) => new Date(chain.chain.clock.now()).toISOString().replace(/\.\d+Z/, 'Z');
  const metrics = { group: 'metrics.k8s.io', version: 'v1beta1', resource: 'pods', namespace: 'default' };

  async function runPods(chain: WorkloadChain, count: number): Promise<void> {
    const pods = await soon(async () => {
      const found = await chain.list<Pod>('pods');
      assert.equal(found.length, count);
      return found;
    });
    for (const { metadata, status } of pods) {
      if (status?.phase === 'Running') continue;
      await chain.setStatus('pods', metadata.name ?? '', {
        phase: 'Running',
        startTime: '2026-01-01T00:00:00Z',
        conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }],
      });
    }
  }
  async function measure(chain: WorkloadChain, cpu: string): Promise<void> {
    for (const { metadata } of await chain.list<Pod>('pods')) {
      const object = {
        apiVersion: 'metrics.k8s.io/v1beta1',
        kind: 'PodMetrics',
        metadata: { name: metadata.name ?? '', labels: { app: 'web' } },
        timestamp: now(chain),
        window: '30s',
        containers: [{ name: 'web', usage: { cpu, memory: '10Mi' } }],
      };
      await chain.client.patch(metrics, metadata.name ?? '', 'apply', object, {
        query: { fieldManager: 'test', force: true },
      });
    }
  }
  const conditions = ({ status }: HorizontalPodAutoscaler) =>
    (status?.conditions ?? []).map(({ type, status: is, reason }) => `${type}=${is} ${reason}`);
  async function replicas(chain: WorkloadChain): Promise<number | undefined> {
    return (await chain.get<Deployment>('deployments', 'web')).spec?.replicas;
  }

  it('scales a deployment up by its use of the processor, and down after the window', async () => {
    await using chain = await WorkloadChain.start(
      ['horizontalpodautoscaling', 'deployment', 'replicaset'],
      [podMetrics],
    );
    await chain.create<Deployment>('deployments', {
      kind: 'Deployment',
      metadata: { name: 'web' },
      spec: {
        replicas: 2,
        selector: { matchLabels: { app: 'web' } },
        template: {
          metadata: { labels: { app: 'web' } },
          spec: { containers: [{ name: 'web', image: 'nginx', resources: { requests: { cpu: '100m' } } }] },
        },
      },
    });
    await runPods(chain, 2);
    await chain.create<HorizontalPodAutoscaler>('horizontalpodautoscalers', {
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'web' },
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
        minReplicas: 1,
        maxReplicas: 3,
        metrics: [
          { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } },
        ],
      },
    });
    /** Nothing tells when the controller has seen a change, and its periods are its own: one period after the other, until it has. */
    const passes = async (check: (autoscaler: HorizontalPodAutoscaler) => void, what: string) => {
      const isSeen = async () => check(await chain.get<HorizontalPodAutoscaler>('horizontalpodautoscalers', 'web'));
      for (let periods = 1; ; periods++) {
        await chain.chain.clock.advance(periodMs);
        const failure = await eventually(isSeen, { what, timeoutMs: 2_000 }).then(() => undefined, asError);
        if (failure === undefined) return;
        if (periods === 5) throw failure;
      }
    };
    await passes((autoscaler) => {
      assert.deepEqual(conditions(autoscaler), [
        'AbleToScale=True SucceededGetScale',
        'ScalingActive=False FailedGetResourceMetric',
      ]);
      assert.equal(
        autoscaler.status?.conditions?.[1]?.message,
        'the HPA was unable to compute the replica count: failed to get cpu utilization: unable to get metrics for resource cpu: no metrics returned from resource metrics API',
      );
    }, 'no metrics');
    await measure(chain, '100m');
    await passes((autoscaler) => {
      assert.deepEqual(conditions(autoscaler), [
        'AbleToScale=True SucceededRescale',
        'ScalingActive=True ValidMetricFound',
        'ScalingLimited=True TooManyReplicas',
      ]);
      assert.deepEqual(autoscaler.status?.currentMetrics, [
        { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 100, averageValue: '100m' } } },
      ]);
    }, 'scaled up');
    assert.equal(await replicas(chain), 3);
    await runPods(chain, 3);
    await measure(chain, '1m');
    await passes(
      (autoscaler) => assert.ok(conditions(autoscaler).includes('AbleToScale=True ScaleDownStabilized')),
      'stabilized',
    );
    assert.equal(await replicas(chain), 3);
    await chain.chain.clock.advance(300_000);
    await passes((autoscaler) => assert.equal(autoscaler.status?.desiredReplicas, 1), 'scaled down');
    assert.equal(await replicas(chain), 1);
    await soon(async () => {
      const events = await chain.events('web');
      assert.ok(
        events.includes(
          'SuccessfulRescale: New size: 3; reason: cpu resource utilization (percentage of request) above target',
        ),
      );
      assert.ok(events.includes('SuccessfulRescale: New size: 1; reason: All metrics below target'));
    });
  });
});
