import type { Deployment, StatefulSet } from '@apichain/api/apps/v1';
import type { CronJob, Job, JobSpec } from '@apichain/api/batch/v1';
import type { Node, Pod } from '@apichain/api/core/v1';
import type { PodDisruptionBudget } from '@apichain/api/policy/v1';
import { currentTime, currentTimestamp } from '@apichain/meta';
import type { Cluster } from './cluster.ts';
import { createDeployment } from './sessions.ts';

const container = { name: 'main', image: 'main' };
const template = { spec: { restartPolicy: 'Never', containers: [container] } };
const byName = (name: string) => `job-name=${name}`;
const indexOf = ({ metadata }: Pod) => metadata.labels?.['batch.kubernetes.io/job-completion-index'];
const dayMs = 86_400_000;

const createJob = (cluster: Cluster, name: string, spec: JobSpec): Promise<Job> =>
  cluster.create<Job>('jobs', { kind: 'Job', metadata: { name }, spec: { template, ...spec } });

/** What a Job ends with, index by index; those that are absent keep running. */
async function endAll(cluster: Cluster, name: string, count: number, codes: Readonly<Record<string, number>>) {
  for (const pod of await cluster.pods(byName(name), count)) {
    const code = codes[indexOf(pod) ?? ''];
    if (code !== undefined) await cluster.end(pod, code);
  }
}

/** Runs the pods of an app as they come, until so many have been ready at once with an image. */
async function runPods(cluster: Cluster, app: string, image: string, count: number, subnet: number): Promise<void> {
  let next = 1;
  await cluster.until(`${count} pods of ${app} with ${image}`, async () => {
    const pods = (await cluster.list<Pod>('pods')).filter(({ metadata }) => metadata.labels?.['app'] === app);
    for (const pod of pods) {
      if (pod.metadata.deletionTimestamp !== undefined) await cluster.remove(pod);
      else if (pod.status?.phase === 'Pending') await cluster.run(pod, `10.0.${subnet}.${next++}`);
    }
    const current = pods.filter(
      ({ metadata, spec, status }) =>
        metadata.deletionTimestamp === undefined &&
        status?.phase === 'Running' &&
        spec?.containers?.[0]?.image === image,
    );
    return current.length === count && pods.length === count;
  });
}

/** Further sessions with Jobs, CronJobs, StatefulSets, Deployments and budgets, by name. */
export const furtherSessions: Readonly<Record<string, (cluster: Cluster) => Promise<void>>> = {
  async 'failing-index'(cluster) {
    const rules = [{ action: 'FailIndex', onExitCodes: { operator: 'In', values: [5] } }];
    await createJob(cluster, 'failing-index', {
      ...{ completions: 4, parallelism: 4, completionMode: 'Indexed', backoffLimitPerIndex: 3 },
      podFailurePolicy: { rules },
    });
    await endAll(cluster, 'failing-index', 4, { 0: 0, 1: 5, 2: 0, 3: 0 });
  },
  async 'failed-indexes'(cluster) {
    await createJob(cluster, 'failed-indexes', {
      ...{ completions: 5, parallelism: 5, completionMode: 'Indexed', backoffLimitPerIndex: 0, maxFailedIndexes: 1 },
    });
    await endAll(cluster, 'failed-indexes', 5, { 0: 0, 1: 1, 2: 1 });
  },
  async elastic(cluster) {
    const indexed = (count: number) => ({ completions: count, parallelism: count });
    await createJob(cluster, 'elastic', { ...indexed(2), completionMode: 'Indexed' });
    await cluster.pods(byName('elastic'), 2);
    await cluster.pause(2);
    await cluster.patch('jobs', 'elastic', { spec: indexed(4) });
    await endAll(cluster, 'elastic', 4, { 0: 0 });
    await cluster.pause(3);
    await cluster.patch('jobs', 'elastic', { spec: indexed(3) });
    await cluster.pause(3);
    await endAll(cluster, 'elastic', 2, { 1: 0, 2: 0 });
  },
  async managed(cluster) {
    await createJob(cluster, 'managed', { managedBy: 'example.com/controller' });
    await createJob(cluster, 'explicit', { managedBy: 'kubernetes.io/job-controller', parallelism: 0 });
    await cluster.pause(3);
    await cluster.patch('jobs', 'explicit', { spec: { parallelism: 2 } });
    await cluster.pods(byName('explicit'), 2);
  },
  async restarts(cluster) {
    const onFailure = { spec: { restartPolicy: 'OnFailure', containers: [container] } };
    await createJob(cluster, 'restarts', { backoffLimit: 2, template: onFailure });
    for (const pod of await cluster.pods(byName('restarts'), 1)) {
      await cluster.run(pod, '10.0.4.1');
      await cluster.setStatus('pods', pod.metadata.name ?? '', {
        containerStatuses: [{ name: 'main', image: 'main', imageID: '', ready: true, restartCount: 2 }],
      });
    }
    await cluster.pause(3);
  },
  async missed(cluster) {
    await cluster.until('the middle of a minute', () => {
      const second = new Date().getSeconds();
      return Promise.resolve(second > 5 && second < 40);
    });
    const suspended = { schedule: '* * * * *', suspend: true, jobTemplate: { spec: { template } } };
    const created = { late: {}, strict: { startingDeadlineSeconds: 3 }, wide: { startingDeadlineSeconds: 200 } };
    for (const [name, spec] of Object.entries(created)) {
      await cluster.create<CronJob>('cronjobs', {
        ...{ kind: 'CronJob', metadata: { name }, spec: { ...suspended, ...spec } },
      });
      await cluster.setStatus('cronjobs', name, {
        lastScheduleTime: new Date(currentTime() - 3 * dayMs).toISOString().replace(/\.\d+/, ''),
      });
    }
    await cluster.pause(1);
    for (const name of Object.keys(created)) await cluster.patch('cronjobs', name, { spec: { suspend: false } });
    await cluster.pause(3);
    for (const name of Object.keys(created)) await cluster.patch('cronjobs', name, { spec: { suspend: true } });
    await cluster.pause(1);
  },
  async ordinals(cluster) {
    const labels = { app: 'ordinals' };
    const withImage = (image: string) => ({
      metadata: { labels },
      spec: { containers: [{ name: 'main', image }], terminationGracePeriodSeconds: 0 },
    });
    await cluster.create<StatefulSet>('statefulsets', {
      kind: 'StatefulSet',
      metadata: { name: 'ordinals' },
      spec: {
        ...{ replicas: 3, ordinals: { start: 5 }, podManagementPolicy: 'Parallel', revisionHistoryLimit: 1 },
        ...{ serviceName: 'ordinals', selector: { matchLabels: labels }, minReadySeconds: 2 },
        template: withImage('a:1'),
      },
    });
    await runPods(cluster, 'ordinals', 'a:1', 3, 5);
    for (const image of ['a:2', 'a:3', 'a:4']) {
      await cluster.patch('statefulsets', 'ordinals', { spec: { template: withImage(image) } });
      await runPods(cluster, 'ordinals', image, 3, 5);
      await cluster.pause(4);
    }
    await cluster.patch('statefulsets', 'ordinals', { spec: { replicas: 2, ordinals: { start: 6 } } });
    await cluster.pause(1);
    await runPods(cluster, 'ordinals', 'a:4', 2, 5);
    await cluster.pause(4);
  },
  async terminating(cluster) {
    await cluster.create<Node>('nodes', { kind: 'Node', metadata: { name: 'holding' } });
    const placed = { nodeName: 'holding', containers: [container] };
    await createDeployment(cluster, 'terminating', 2, placed);
    // Which of the two comes first would depend on the time that the pods take.
    await cluster.until('both conditions', async () => {
      const { status } = await cluster.get<Deployment>('deployments', 'terminating');
      return status?.conditions?.length === 2;
    });
    const pods = await cluster.pods('app=terminating', 2);
    for (const [i, pod] of pods.entries()) await cluster.run(pod, `10.0.6.${i + 1}`);
    await cluster.pause(1);
    // Nobody ends it.
    await cluster.delete('pods', pods[0]?.metadata.name ?? '');
    for (const pod of await cluster.pods('app=terminating', 1)) await cluster.run(pod, '10.0.6.9');
    await cluster.pause(2);
  },
  async budgets(cluster) {
    const createBudget = (name: string, app: string, spec: PodDisruptionBudget['spec']) =>
      cluster.create<PodDisruptionBudget>('poddisruptionbudgets', {
        kind: 'PodDisruptionBudget',
        metadata: { name },
        spec: { selector: { matchLabels: { app } }, ...spec },
      });
    await createBudget('share', 'share', { minAvailable: '50%', unhealthyPodEvictionPolicy: 'AlwaysAllow' });
    await createBudget('alone', 'alone', { maxUnavailable: 1 });
    await createBudget('nothing', 'nothing', { minAvailable: 1 });
    await cluster.pause(1);
    await createDeployment(cluster, 'share', 3);
    for (const [i, pod] of (await cluster.pods('app=share', 3)).entries())
      await cluster.run(pod, `10.0.7.${i + 1}`, i > 0);
    const alone = await cluster.create<Pod>('pods', {
      ...{ kind: 'Pod', metadata: { name: 'alone', labels: { app: 'alone' } }, spec: { containers: [container] } },
    });
    await cluster.run(alone, '10.0.7.9');
    await cluster.setStatus('pods', 'alone', { startTime: currentTimestamp() });
    await cluster.pause(4);
  },
};
