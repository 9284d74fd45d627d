import type { Deployment } from '@apichain/api/apps/v1';
import type { HorizontalPodAutoscaler } from '@apichain/api/autoscaling/v2';
import type { CronJob, Job, JobSpec } from '@apichain/api/batch/v1';
import type { Endpoints, Node, Pod, Service } from '@apichain/api/core/v1';
import type { PodDisruptionBudget } from '@apichain/api/policy/v1';
import { currentTimestamp, findCondition } from '@apichain/meta';
import type { Cluster } from './cluster.ts';

const container = { name: 'main', image: 'main' };
const template = { spec: { restartPolicy: 'Never', containers: [container] } };
const byName = (name: string) => `job-name=${name}`;
const indexOf = ({ metadata }: Pod) => metadata.labels?.['batch.kubernetes.io/job-completion-index'];

function createJob(cluster: Cluster, name: string, spec: JobSpec): Promise<Job> {
  return cluster.create<Job>('jobs', {
    kind: 'Job',
    metadata: { name, labels: { a: 'b' } },
    spec: { template, ...spec },
  });
}

/** A Deployment, whose pods have the label `app` with its name. */
export function createDeployment(
  cluster: Cluster,
  name: string,
  replicas: number,
  podSpec: NonNullable<Pod['spec']> = { containers: [container] },
): Promise<Deployment> {
  const labels = { app: name };
  return cluster.create<Deployment>('deployments', {
    kind: 'Deployment',
    metadata: { name },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: podSpec },
    },
  });
}

const ready = () => ({
  ...{ type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'ready' },
  ...{ lastHeartbeatTime: currentTimestamp(), lastTransitionTime: currentTimestamp() },
});

/** The sessions, by name. They may run at the same time. */
export const sessions: Readonly<Record<string, (cluster: Cluster) => Promise<void>>> = {
  async indexed(cluster) {
    const indexed = { completions: 3, parallelism: 3, completionMode: 'Indexed' };
    await createJob(cluster, 'indexed', { ...indexed, backoffLimitPerIndex: 1, maxFailedIndexes: 2 });
    const pods = await cluster.pods(byName('indexed'), 3);
    for (const pod of pods) await cluster.end(pod, indexOf(pod) === '1' ? 1 : 0);
    for (const pod of await cluster.pods(byName('indexed'), 1)) await cluster.end(pod, 3);
  },
  async parallel(cluster) {
    await createJob(cluster, 'parallel', { completions: 2, parallelism: 2, backoffLimit: 1 });
    const [first, second] = await cluster.pods(byName('parallel'), 2);
    if (first !== undefined) await cluster.end(first, 0);
    await cluster.pause(3);
    if (second !== undefined) await cluster.end(second, 1);
    await cluster.pause(3);
    for (const pod of await cluster.pods(byName('parallel'), 1)) await cluster.end(pod, 1);
  },
  async policy(cluster) {
    const rules = [
      { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
      { action: 'FailJob', onExitCodes: { operator: 'In', values: [7] } },
    ];
    await createJob(cluster, 'policy', { podFailurePolicy: { rules } });
    const condition = {
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'Test',
      lastTransitionTime: currentTimestamp(),
    };
    for (const pod of await cluster.pods(byName('policy'), 1)) await cluster.end(pod, 1, { conditions: [condition] });
    await cluster.pause(3);
    for (const pod of await cluster.pods(byName('policy'), 1)) await cluster.end(pod, 7);
  },
  async success(cluster) {
    const rules = [{ succeededIndexes: '0-1', succeededCount: 1 }];
    await createJob(cluster, 'success', {
      completions: 3,
      parallelism: 3,
      completionMode: 'Indexed',
      successPolicy: { rules },
    });
    const pods = await cluster.pods(byName('success'), 3);
    for (const pod of pods) if (indexOf(pod) === '1') await cluster.end(pod, 0);
  },
  async suspended(cluster) {
    await createJob(cluster, 'suspended', { completions: 2, parallelism: 2, suspend: true });
    const until = async (condition: string, active: number) =>
      cluster.until(`the job is ${condition}`, async () => {
        const { status } = await cluster.get<Job>('jobs', 'suspended');
        const isSuspended = findCondition(status?.conditions, 'Suspended')?.status === 'True';
        return isSuspended === (condition === 'suspended') && (status?.active ?? 0) === active;
      });
    await until('suspended', 0);
    for (const suspend of [false, true, false]) {
      await cluster.patch('jobs', 'suspended', { spec: { suspend } });
      await until(suspend ? 'suspended' : 'resumed', suspend ? 0 : 2);
    }
    for (const pod of await cluster.pods(byName('suspended'), 2)) await cluster.end(pod, 0);
  },
  async deadline(cluster) {
    await createJob(cluster, 'deadline', { activeDeadlineSeconds: 3 });
    await cluster.pause(7);
  },
  async queue(cluster) {
    await cluster.create<Node>('nodes', { kind: 'Node', metadata: { name: 'worker' } });
    // A pod without a node is deleted at once, or by the next round of pod garbage collection.
    const placed = { spec: { ...template.spec, nodeName: 'worker' } };
    await createJob(cluster, 'queue', { parallelism: 2, podReplacementPolicy: 'Failed', template: placed });
    const [first] = await cluster.pods(byName('queue'), 2);
    await cluster.pause(2);
    await cluster.delete('pods', first?.metadata.name ?? '');
    await cluster.pause(3);
    if (first !== undefined) await cluster.end(first, 137);
    const [done, other] = await cluster.pods(byName('queue'), 2);
    if (done !== undefined) await cluster.end(done, 0);
    await cluster.pause(3);
    if (other !== undefined) await cluster.end(other, 1);
  },
  async orphans(cluster) {
    await createJob(cluster, 'orphans', { parallelism: 2, completions: 2 });
    await cluster.pods(byName('orphans'), 2);
    await cluster.pause(3);
    await cluster.delete('jobs', 'orphans', 'Orphan');
  },
  async cron(cluster) {
    const createCronJob = (name: string, spec: CronJob['spec']) =>
      cluster.create<CronJob>('cronjobs', {
        kind: 'CronJob',
        metadata: { name },
        spec: { schedule: '* * * * *', jobTemplate: { metadata: { labels: { c: 'd' } }, spec: { template } }, ...spec },
      });
    // From the beginning of a minute, so that all runs see as many.
    await cluster.until('the next minute', () => Promise.resolve(new Date().getSeconds() < 2));
    await createCronJob('tick', { timeZone: 'Asia/Tokyo', concurrencyPolicy: 'Forbid', successfulJobsHistoryLimit: 0 });
    await createCronJob('swap', { concurrencyPolicy: 'Replace' });
    await createCronJob('never', { schedule: '59 23 31 2 *' });
    const isJobOf = (name: string) => (job: Job) => job.metadata.name?.startsWith(`${name}-`) === true;
    const [tick] = await cluster.until('a job', async () => {
      const jobs = (await cluster.list<Job>('jobs')).filter(isJobOf('tick'));
      return jobs.length > 0 && jobs;
    });
    await cluster.pause(63);
    for (const pod of await cluster.pods(byName(tick?.metadata.name ?? ''), 1)) await cluster.end(pod, 0);
    await cluster.pause(4);
    for (const name of ['tick', 'swap']) await cluster.patch('cronjobs', name, { spec: { suspend: true } });
    for (const job of (await cluster.list<Job>('jobs')).filter(isJobOf('swap')))
      await cluster.delete('jobs', job.metadata.name ?? '');
  },
  async services(cluster) {
    const createService = (name: string, spec: Service['spec']) =>
      cluster.create<Service>('services', {
        kind: 'Service',
        metadata: { name, labels: { a: 'b' } },
        spec: spec ?? {},
      });
    await createService('web', {
      selector: { app: 'web' },
      ports: [
        { name: 'http', port: 80, targetPort: 'http' },
        { name: 'metrics', port: 9090 },
        { name: 'other', port: 1, targetPort: 444 },
      ],
    });
    await createService('near', {
      selector: { app: 'web' },
      trafficDistribution: 'PreferSameZone',
      ports: [{ port: 80 }],
    });
    await createService('headless', { clusterIP: 'None', publishNotReadyAddresses: true, selector: { app: 'web' } });
    await createService('manual', { ports: [{ port: 80 }] });
    await cluster.create<Endpoints>('endpoints', {
      kind: 'Endpoints',
      metadata: { name: 'manual', annotations: { c: 'd' } },
      subsets: [
        {
          addresses: [{ ip: '192.0.2.1', hostname: 'h' }, { ip: '2001:db8::1' }],
          ports: [
            { name: 'p', port: 80 },
            { name: 'o', port: 81 },
          ],
        },
        // Apart, because the original does not order the endpoints of a slice.
        { notReadyAddresses: [{ ip: '192.0.2.7' }], ports: [{ name: 'q', port: 82 }] },
      ],
    });
    await cluster.create<Node>('nodes', {
      kind: 'Node',
      metadata: { name: 'zoned', labels: { 'topology.kubernetes.io/zone': 'z' } },
    });
    await cluster.pause(2);
    for (const [i, name] of ['one', 'two', 'three'].entries()) {
      const pod = await cluster.create<Pod>('pods', {
        kind: 'Pod',
        metadata: { name, labels: { app: 'web' } },
        spec: {
          ...{ nodeName: 'zoned', hostname: name, subdomain: 'headless' },
          containers: [{ ...container, ports: [{ name: 'http', containerPort: 8080 }] }],
        },
      });
      await cluster.run(pod, `10.0.0.${i + 1}`, name !== 'two');
    }
    await cluster.pause(3);
    await cluster.delete('pods', 'one');
    await cluster.pause(3);
    await cluster.patch('services', 'web', { metadata: { labels: { a: 'c' } } });
  },
  async budget(cluster) {
    await cluster.create<PodDisruptionBudget>('poddisruptionbudgets', {
      kind: 'PodDisruptionBudget',
      metadata: { name: 'budget' },
      spec: { maxUnavailable: 1, selector: { matchLabels: { app: 'budget' } } },
    });
    await cluster.pause(1);
    await createDeployment(cluster, 'budget', 3);
    for (const [i, pod] of (await cluster.pods('app=budget', 3)).entries()) await cluster.run(pod, `10.0.1.${i}`);
  },
  async nodes(cluster) {
    const names = ['n1', 'n2', 'n3'];
    const pressure = { type: 'MemoryPressure', status: 'False', lastTransitionTime: currentTimestamp() };
    const beat = (name: string) =>
      cluster.setStatus('nodes', name, {
        conditions: [pressure, { ...ready(), lastTransitionTime: pressure.lastTransitionTime }],
      });
    for (const name of names) {
      const labels = { 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'amd64' };
      await cluster.create<Node>('nodes', { kind: 'Node', metadata: { name, labels } });
      await beat(name);
    }
    const toleration = { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute' };
    const pod = await cluster.create<Pod>('pods', {
      kind: 'Pod',
      metadata: { name: 'evicted' },
      spec: { nodeName: 'n3', tolerations: [{ ...toleration, tolerationSeconds: 5 }], containers: [container] },
    });
    await cluster.run(pod, '10.0.2.1');
    await cluster.patch('nodes', 'n1', { spec: { unschedulable: true } });
    for (let beats = 0; beats < 12; beats++) {
      await cluster.pause(8);
      for (const name of ['n1', 'n2']) await beat(name);
    }
    // Otherwise it depends on the end of the other sessions, whether they are missed. Now no node is ready, which ends evictions.
    for (const name of ['n1', 'n2']) await cluster.delete('nodes', name);
    await cluster.pause(8);
  },
  async autoscaling(cluster) {
    await createDeployment(cluster, 'scaled', 1);
    const averageValue = { type: 'AverageValue', averageValue: '10' };
    await cluster.create<HorizontalPodAutoscaler>('horizontalpodautoscalers', {
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'scaled' },
      spec: {
        minReplicas: 2,
        maxReplicas: 4,
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'scaled' },
        metrics: [
          { type: 'Resource', resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '10Mi' } } },
          { type: 'Pods', pods: { metric: { name: 'requests' }, target: averageValue } },
          {
            type: 'External',
            external: { metric: { name: 'ext', selector: { matchLabels: { a: 'b' } } }, target: averageValue },
          },
          {
            type: 'Object',
            object: {
              describedObject: { apiVersion: 'v1', kind: 'Service', name: 's' },
              metric: { name: 'm' },
              target: { type: 'Value', value: '3' },
            },
          },
        ],
      },
    });
    for (const [name, kind] of [
      ['nothing', 'Nothing'],
      ['missing', 'Deployment'],
    ] as const)
      await cluster.create<HorizontalPodAutoscaler>('horizontalpodautoscalers', {
        kind: 'HorizontalPodAutoscaler',
        metadata: { name },
        spec: { maxReplicas: 4, scaleTargetRef: { apiVersion: 'apps/v1', kind, name } },
      });
    await cluster.pause(35);
  },
};
