import type { KubeObject } from '@apichain/meta';
import { type Scenario, affinity, selector } from './scenario.ts';
import type { Stage } from './stage.ts';

/** Pods that are scheduled one after the other. */
const placement = (
  name: string,
  pods: readonly string[],
  prepare: (stage: Stage, bind: (name: string) => Promise<void>) => Promise<void>,
): Scenario => ({
  name,
  async run(stage) {
    await prepare(stage, async (pod) => {
      await stage.bound(pod);
      await stage.recorded(pod, / Scheduled /);
    });
    return Object.fromEntries(await Promise.all(pods.map(async (pod) => [pod, await stage.result(pod)] as const)));
  },
});

const threeZones = async (stage: Stage) => {
  for (const zone of ['a', 'b', 'c'])
    await stage.node(`n-${zone}`, { labels: { 'topology.kubernetes.io/zone': zone } });
};

const replicaSet = (stage: Stage, labels: Readonly<Record<string, string>>): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  metadata: { name: 'owner', namespace: stage.namespace },
  spec: {
    replicas: 0,
    selector: selector(labels),
    template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'example.com/main:1' }] } },
  },
});

/** Which of several nodes pods come to. */
export const placementScenarios: readonly Scenario[] = [
  placement('least allocated', ['p1', 'p2', 'p3'], async (stage, bind) => {
    await stage.node('n1', { cpu: '8', memory: '16Gi' });
    await stage.node('n2', { cpu: '3', memory: '6Gi' });
    for (const name of ['p1', 'p2', 'p3']) {
      await stage.pod(name, { requests: { cpu: '1', memory: '2Gi' } });
      await bind(name);
    }
  }),
  placement('balanced allocation', ['p1', 'p2'], async (stage, bind) => {
    await stage.node('n1', { cpu: '4', memory: '64Gi' });
    await stage.node('n2', { cpu: '16', memory: '16Gi' });
    await stage.pod('p1', { requests: { cpu: '2', memory: '1Gi' } });
    await bind('p1');
    await stage.pod('p2', { requests: { cpu: '100m', memory: '8Gi' } });
    await bind('p2');
  }),
  placement('images', ['p1'], async (stage, bind) => {
    await stage.node('n1', { cpu: '5', memory: '9Gi' });
    await stage.node('n2', { images: [{ name: 'example.com/main:1', megabytes: 900 }] });
    await stage.pod('p1');
    await bind('p1');
  }),
  placement('preferences of node affinity and taints', ['p1', 'p2'], async (stage, bind) => {
    await stage.node('n1', { labels: { disk: 'ssd' }, taints: [{ key: 'k', effect: 'PreferNoSchedule' }] });
    await stage.node('n2');
    const preference = { matchExpressions: [{ key: 'disk', operator: 'In', values: ['ssd'] }] };
    await stage.pod('p1', { requests: { cpu: '100m' } });
    await bind('p1');
    await stage.pod('p2', {
      spec: {
        affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 10, preference }] } },
        tolerations: [{ key: 'k', operator: 'Exists' }],
      },
    });
    await bind('p2');
  }),
  placement('spread of the pods of a ReplicaSet over zones by default', ['p1', 'p2', 'p3'], async (stage, bind) => {
    await threeZones(stage);
    const labels = { app: 'web' };
    const owner = await stage.create('apps', 'replicasets', replicaSet(stage, labels));
    await stage.pod('p1', { labels, owner, spec: { nodeSelector: { 'kubernetes.io/hostname': 'n-a' } } });
    await bind('p1');
    await stage.pod('p2', { labels, owner, spec: { nodeSelector: { 'kubernetes.io/hostname': 'n-b' } } });
    await bind('p2');
    await stage.pod('p3', { labels, owner });
    await bind('p3');
  }),
  placement('spread of the pods of a Service by default', ['p1', 'p2'], async (stage, bind) => {
    await stage.node('n1');
    await stage.node('n2');
    const labels = { app: 'web' };
    await stage.create('', 'services', {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'web', namespace: stage.namespace },
      spec: { selector: labels, ports: [{ port: 80 }] },
    });
    await stage.pod('p1', { labels, spec: { nodeSelector: { 'kubernetes.io/hostname': 'n1' } } });
    await bind('p1');
    await stage.pod('p2', { labels });
    await bind('p2');
  }),
  placement(
    'affinity in a zone, preferred and required',
    ['anchor', 'together', 'apart', 'drawn'],
    async (stage, bind) => {
      await threeZones(stage);
      const zone = 'topology.kubernetes.io/zone';
      await stage.pod('anchor', { labels: { app: 'db' }, spec: { nodeSelector: { [zone]: 'b' } } });
      await bind('anchor');
      await stage.pod('together', { labels: { app: 'web' }, spec: affinity('podAffinity', { app: 'db' }, zone) });
      await bind('together');
      const preferred = (kind: 'podAffinity' | 'podAntiAffinity') => ({
        affinity: {
          [kind]: {
            preferredDuringSchedulingIgnoredDuringExecution: [
              { weight: 100, podAffinityTerm: { labelSelector: selector({ app: 'web' }), topologyKey: zone } },
            ],
          },
        },
      });
      await stage.pod('apart', {
        labels: { app: 'apart' },
        spec: { ...preferred('podAntiAffinity'), nodeSelector: { [zone]: 'c' } },
      });
      await bind('apart');
      await stage.pod('drawn', { labels: { app: 'drawn' }, spec: preferred('podAffinity') });
      await bind('drawn');
    },
  ),
  placement('init containers, sidecars, overhead and pod-level resources', ['p1', 'p2'], async (stage, bind) => {
    await stage.node('n1', { cpu: '3', memory: '8Gi' });
    await stage.node('n2', { cpu: '4100m', memory: '8Gi' });
    const container = (name: string, cpu: string) => ({
      name,
      image: 'example.com/main:1',
      resources: { requests: { cpu } },
    });
    await stage.pod('p1', {
      spec: {
        initContainers: [{ ...container('sidecar', '1'), restartPolicy: 'Always' }, container('init', '3')],
        containers: [container('main', '1')],
      },
    });
    await bind('p1');
    await stage.pod('p2', {
      spec: { resources: { requests: { cpu: '2', memory: '1Gi' } }, containers: [container('main', '100m')] },
    });
    await bind('p2');
  }),
];
