import { placementScenarios } from './placement-scenarios.ts';
import { preemptionScenarios } from './preemption-scenarios.ts';
import { type Scenario, affinity, rejection, selector } from './scenario.ts';
import { volumeScenarios } from './volume-scenarios.ts';

/** What is compared. Scenarios whose outcome is a matter of chance are not among them. */
export const scenarios: readonly Scenario[] = [
  {
    name: 'without nodes',
    async run(stage) {
      await stage.pod('subject');
      await stage.rejected('subject');
      await stage.recorded('subject', /FailedScheduling/);
      return { subject: await stage.result('subject') };
    },
  },
  rejection('too little of several resources', async (stage) => {
    await stage.node('n1', { cpu: '1', memory: '1Gi' });
    await stage.node('n2', { cpu: '8', memory: '1Gi' });
    await stage.node('n3', { cpu: '1', memory: '8Gi' });
    await stage.pod('subject', {
      requests: { cpu: '2', memory: '2Gi', 'example.com/gpu': '1', 'ephemeral-storage': '1Gi' },
    });
  }),
  rejection('too many pods', async (stage) => {
    await stage.node('n1', { pods: '1' });
    await stage.pod('first');
    await stage.bound('first');
    await stage.pod('subject');
  }),
  rejection('taints', async (stage) => {
    await stage.node('n1', { taints: [{ key: 'k', value: 'v', effect: 'NoSchedule' }] });
    await stage.node('n2', { taints: [{ key: 'k', value: 'w', effect: 'NoExecute' }] });
    await stage.pod('subject');
  }),
  rejection('cordoned, tainted, too small, and wrong labels', async (stage) => {
    await stage.node('n1', { unschedulable: true });
    await stage.node('n2', { taints: [{ key: 'k', effect: 'NoSchedule' }] });
    await stage.node('n3', { cpu: '100m', labels: { disk: 'ssd' } });
    await stage.node('n4');
    await stage.pod('subject', { requests: { cpu: '1' }, spec: { nodeSelector: { disk: 'ssd' } } });
  }),
  rejection('node affinity that names a node that does not exist', async (stage) => {
    await stage.node('n1');
    const term = { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['none'] }] };
    await stage.pod('subject', {
      spec: {
        affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } } },
      },
    });
  }),
  rejection('node affinity with terms that contradict each other', async (stage) => {
    await stage.node('n1');
    const named = (value: string) => ({ key: 'metadata.name', operator: 'In', values: [value] });
    const term = { matchFields: [named('n1'), named('n2')] };
    await stage.pod('subject', {
      spec: {
        affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } } },
      },
    });
  }),
  rejection('host ports', async (stage) => {
    const ports = (hostIP?: string) => ({
      containers: [
        {
          name: 'main',
          image: 'example.com/main:1',
          ports: [{ containerPort: 80, hostPort: 8080, ...(hostIP === undefined ? {} : { hostIP }) }],
        },
      ],
    });
    await stage.node('n1');
    await stage.pod('first', { spec: ports('127.0.0.1') });
    await stage.bound('first');
    await stage.pod('subject', { spec: ports() });
  }),
  rejection('affinity to a pod that does not exist', async (stage) => {
    await stage.node('n1');
    await stage.pod('subject', { spec: affinity('podAffinity', { app: 'none' }) });
  }),
  rejection('anti-affinity of the pod, and of a pod that is there', async (stage) => {
    await stage.node('n1');
    await stage.node('n2');
    await stage.pod('hermit', {
      labels: { app: 'hermit' },
      spec: { ...affinity('podAntiAffinity', { app: 'web' }), nodeSelector: { 'kubernetes.io/hostname': 'n1' } },
    });
    await stage.bound('hermit');
    await stage.pod('web', { labels: { app: 'other' }, spec: { nodeSelector: { 'kubernetes.io/hostname': 'n2' } } });
    await stage.bound('web');
    await stage.pod('subject', { labels: { app: 'web' }, spec: affinity('podAntiAffinity', { app: 'other' }) });
  }),
  rejection('topology spread', async (stage) => {
    await stage.node('n1', { cpu: '1', labels: { zone: 'a' } });
    await stage.node('n2', { cpu: '100m', labels: { zone: 'b' } });
    await stage.node('n3');
    const spread = {
      maxSkew: 1,
      topologyKey: 'zone',
      whenUnsatisfiable: 'DoNotSchedule',
      labelSelector: selector({ app: 'web' }),
    };
    await stage.pod('first', { labels: { app: 'web' }, spec: { nodeName: 'n1' } });
    await stage.pod('subject', {
      labels: { app: 'web' },
      requests: { cpu: '500m' },
      spec: { topologySpreadConstraints: [spread] },
    });
  }),
  {
    name: 'scheduling gates',
    async run(stage) {
      await stage.node('n1');
      await stage.pod('subject', {
        spec: { schedulingGates: [{ name: 'example.com/wait' }, { name: 'example.com/more' }] },
      });
      await stage.rejected('subject');
      const gated = await stage.result('subject');
      await stage.patch('', 'pods', 'subject', { spec: { schedulingGates: [{ name: 'example.com/more' }] } });
      const half = await stage.result('subject');
      await stage.patch('', 'pods', 'subject', { spec: { schedulingGates: null } });
      await stage.bound('subject');
      await stage.recorded('subject', / Scheduled /);
      return { gated, half, subject: await stage.result('subject') };
    },
  },
  {
    name: 'another scheduler name',
    async run(stage) {
      await stage.node('n1');
      await stage.pod('foreign', { spec: { schedulerName: 'somebody-else' } });
      await stage.pod('own');
      await stage.bound('own');
      return { foreign: await stage.result('foreign') };
    },
  },
  {
    name: 'a node is added',
    async run(stage) {
      await stage.node('n1', { cpu: '100m' });
      await stage.pod('subject', { requests: { cpu: '1' } });
      await stage.rejected('subject');
      await stage.node('n2', { cpu: '2' });
      await stage.bound('subject');
      await stage.recorded('subject', / Scheduled /);
      return { subject: await stage.result('subject') };
    },
  },
  {
    name: 'a pod makes room',
    async run(stage) {
      await stage.node('n1', { cpu: '1' });
      await stage.pod('first', { requests: { cpu: '1' } });
      await stage.bound('first');
      await stage.pod('subject', { requests: { cpu: '1' } });
      await stage.rejected('subject');
      await stage.remove('', 'pods', 'first');
      await stage.bound('subject');
      await stage.recorded('subject', / Scheduled /);
      return { subject: await stage.result('subject') };
    },
  },
  {
    name: 'a node is uncordoned, relabelled and enlarged',
    async run(stage) {
      await stage.node('n1', { unschedulable: true });
      await stage.pod('cordoned');
      await stage.rejected('cordoned');
      await stage.patch('', 'nodes', 'n1', { spec: { unschedulable: false } });
      await stage.bound('cordoned');
      await stage.pod('labelled', { spec: { nodeSelector: { new: 'label' } } });
      await stage.rejected('labelled');
      await stage.patch('', 'nodes', 'n1', { metadata: { labels: { new: 'label' } } });
      await stage.bound('labelled');
      await stage.pod('large', { requests: { cpu: '6' } });
      await stage.rejected('large');
      await stage.patch(
        '',
        'nodes',
        'n1',
        { status: { allocatable: { cpu: '16' }, capacity: { cpu: '16' } } },
        'status',
      );
      await stage.bound('large');
      for (const name of ['cordoned', 'labelled', 'large']) await stage.recorded(name, / Scheduled /);
      return {
        cordoned: await stage.result('cordoned'),
        labelled: await stage.result('labelled'),
        large: await stage.result('large'),
      };
    },
  },
  ...placementScenarios,
  rejection('minDomains and a taints policy', async (stage) => {
    await stage.node('n1', { labels: { zone: 'a' } });
    await stage.node('n2', { labels: { zone: 'b' }, taints: [{ key: 'k', effect: 'NoSchedule' }] });
    const spread = {
      maxSkew: 1,
      minDomains: 2,
      topologyKey: 'zone',
      whenUnsatisfiable: 'DoNotSchedule',
      nodeTaintsPolicy: 'Honor',
      labelSelector: selector({ app: 'web' }),
    };
    await stage.pod('first', { labels: { app: 'web' }, spec: { nodeName: 'n1' } });
    await stage.pod('subject', { labels: { app: 'web' }, spec: { topologySpreadConstraints: [spread] } });
  }),
  rejection('anti-affinity to pods of selected namespaces', async (stage) => {
    await stage.node('n1');
    await stage.pod('first', { labels: { app: 'web' } });
    await stage.bound('first');
    const term = {
      labelSelector: selector({ app: 'web' }),
      namespaceSelector: selector({ 'kubernetes.io/metadata.name': stage.namespace }),
      topologyKey: 'kubernetes.io/hostname',
    };
    await stage.pod('subject', {
      spec: { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } },
    });
  }),
  rejection('a ResourceClaim that nobody allocates', async (stage) => {
    await stage.node('n1');
    await stage.create('resource.k8s.io', 'deviceclasses', {
      apiVersion: 'resource.k8s.io/v1',
      kind: 'DeviceClass',
      metadata: { name: 'gpu' },
      spec: {},
    });
    await stage.create('resource.k8s.io', 'resourceclaims', {
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceClaim',
      metadata: { name: 'mine', namespace: stage.namespace },
      spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'gpu' } }] } },
    });
    await stage.pod('subject', { spec: { resourceClaims: [{ name: 'c', resourceClaimName: 'mine' }] } });
  }),
  {
    name: 'a ResourceClaim that does not exist',
    async run(stage) {
      await stage.node('n1');
      await stage.pod('subject', { spec: { resourceClaims: [{ name: 'c', resourceClaimName: 'none' }] } });
      await stage.pod('later');
      await stage.bound('later');
      return { subject: await stage.result('subject') };
    },
  },
  {
    name: 'a deleted pod is not scheduled',
    async run(stage) {
      await stage.node('n1', { cpu: '1' });
      await stage.pod('subject', { requests: { cpu: '2' } });
      await stage.rejected('subject');
      await stage.remove('', 'pods', 'subject');
      await stage.node('n2');
      await stage.pod('later');
      await stage.bound('later');
      return {};
    },
  },
  ...preemptionScenarios,
  ...volumeScenarios,
];
