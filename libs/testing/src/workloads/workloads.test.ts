import assert from 'node:assert/strict';
import { httpTransport, loadKubeconfig, RestClient } from '@apichain/client';
import type { KubeObject } from '@apichain/meta';
import { startChain } from '../start-chain.ts';
import type { StartChainOptions, TestChain } from '../test-chain.ts';

const namespace = 'default';
const pods = { group: '', version: 'v1', resource: 'pods', namespace };
const jobs = { group: 'batch', version: 'v1', resource: 'jobs', namespace };
const deployments = { group: 'apps', version: 'v1', resource: 'deployments', namespace };
const template = (annotations: Record<string, string> = {}, more: object = {}) => ({
  metadata: { labels: { app: 'web' }, annotations },
  spec: { containers: [{ name: 'main', image: 'nginx' }], ...more },
});
const deployment = (replicas: number, annotations: Record<string, string> = {}, spec: object = {}) => ({
  ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', namespace } },
  spec: { replicas, selector: { matchLabels: { app: 'web' } }, template: template(annotations), ...spec },
});
const job = (name: string, spec: object, annotations: Record<string, string> = {}) => ({
  ...{ apiVersion: 'batch/v1', kind: 'Job', metadata: { name, namespace } },
  spec: { template: template(annotations, { restartPolicy: 'Never' }), ...spec },
});
const prefix = 'simulate.apichain.dev/';

interface PodStatus {
  readonly phase?: string;
  readonly containerStatuses?: { readonly ready: boolean; readonly restartCount: number }[];
}
const statusOf = (pod: KubeObject) => (pod.status ?? {}) as PodStatus;

/** Runs `test` with a chain that simulates workloads, and a client. */
async function withWorkloads(
  options: StartChainOptions,
  test: (chain: TestChain, client: RestClient) => Promise<void>,
): Promise<void> {
  await using chain = await startChain({ workloads: true, ...options });
  const client = new RestClient(httpTransport(loadKubeconfig(chain.kubeconfigFile)));
  try {
    await test(chain, client);
  } finally {
    await client.close();
  }
}

describe('workloads', () => {
  it('cost next to nothing while nothing is due', () =>
    withWorkloads({}, async (chain) => {
      await chain.clock.advance('10m');
      const before = chain.snapshot().revision;
      await chain.clock.advance('6h');
      const writes = chain.snapshot().revision - before;
      // Signs of life of three nodes: each on time for a minute, then whenever something is due, which is once an hour.
      assert.ok(writes <= 80, `${writes} writes`);
    }));

  it('become ready, with all their parts', () =>
    withWorkloads({}, async (chain, client) => {
      await client.create(deployments, deployment(3));
      const { status } = await chain.workloads.ready('deployment/web');
      assert.equal((status as { readyReplicas: number }).readyReplicas, 3);
      const { items } = await client.list(pods);
      assert.deepEqual(
        items.map((pod) => statusOf(pod).phase),
        ['Running', 'Running', 'Running'],
      );
      assert.equal(new Set(items.map(({ spec }) => (spec as { nodeName: string }).nodeName)).size, 3);
      await client.delete(deployments, 'web', { propagationPolicy: 'Foreground' });
      await chain.clock.advance('1m');
      assert.equal((await client.list(pods)).items.length, 0);
    }));

  it('fail, as a test says', () =>
    withWorkloads({}, async (chain, client) => {
      await client.create(deployments, deployment(1));
      await chain.workloads.ready('deployment/web');
      const { items } = await client.list(pods);
      const name = items[0]?.metadata.name ?? '';
      await chain.workloads.fail(`pod/${name}`, { exitCode: 3, reason: 'OOMKilled' });
      await chain.workloads.ready(name);
      const after = await client.get(pods, name);
      assert.deepEqual(
        statusOf(after).containerStatuses?.map(({ ready, restartCount }) => [ready, restartCount]),
        [[true, 1]],
      );
      assert.match(
        JSON.stringify(after.status),
        /"exitCode":3.*"reason":"OOMKilled"|"reason":"OOMKilled".*"exitCode":3/,
      );
    }));

  it('say why they do not become ready', () =>
    withWorkloads({}, async (chain, client) => {
      const never = deployment(1, { [`${prefix}ready`]: 'never' }, { progressDeadlineSeconds: 60 });
      await client.create(deployments, never);
      await assert.rejects(
        chain.workloads.ready('deployment/web'),
        /^Error: deployment\/web is not ready: ProgressDeadlineExceeded/,
      );
      await client.create(jobs, job('fails', { backoffLimit: 1 }, { [`${prefix}exit-code`]: '2' }));
      await assert.rejects(chain.workloads.ready('job/fails'), /job\/fails is not ready: BackoffLimitExceeded/);
      const large = { name: 'main', image: 'a', resources: { requests: { cpu: '1000' } } };
      await client.create(pods, {
        ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'large' } },
        spec: { containers: [large] },
      });
      await assert.rejects(
        chain.workloads.ready('large', { within: '1h' }),
        /large is not ready within 1h: phase Pending, Unschedulable: 0\/3 nodes are available: .*Insufficient cpu/,
      );
      await assert.rejects(chain.workloads.ready('deploymnt/web'), /there is no kind deploymnt.*deployment/);
      assert.throws(() => chain.workloads.node('nowhere'), /nowhere/);
    }));

  it('complete', () =>
    withWorkloads({}, async (chain, client) => {
      await client.create(jobs, job('parts', { completions: 5, parallelism: 2 }));
      await chain.settle();
      assert.equal((await client.list(pods)).items.length, 2);
      const { status } = await chain.workloads.complete('job/parts');
      assert.equal((status as { succeeded: number }).succeeded, 5);
    }));

  it('move from a node that is lost', () =>
    withWorkloads({}, async (chain, client) => {
      await client.create(deployments, deployment(2));
      await chain.workloads.ready('deployment/web');
      const nodeOf = ({ spec }: KubeObject) => (spec as { nodeName: string }).nodeName;
      const { items } = await client.list(pods);
      const lost = items.map(nodeOf)[0] ?? '';
      await chain.workloads.node(lost).down();
      await chain.clock.advance('1m');
      const isReady = async () =>
        JSON.stringify((await client.get({ group: '', version: 'v1', resource: 'nodes' }, lost)).status).includes(
          '"type":"Ready","status":"Unknown"',
        );
      await chain.clock.advance('6m');
      const left = (await client.list(pods)).items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
      assert.equal(left.length, 2);
      assert.ok(left.every((pod) => nodeOf(pod) !== lost));
      await chain.workloads.node(lost).up();
      await chain.clock.advance('1m');
      assert.equal((await client.list(pods)).items.length, 2);
      assert.equal(await isReady(), false);
    }));

  it('start at the times of a schedule', () =>
    withWorkloads({ clock: new Date('2030-01-01T00:00:00Z') }, async (chain, client) => {
      const cronJob = {
        ...{ apiVersion: 'batch/v1', kind: 'CronJob', metadata: { name: 'often', namespace } },
        spec: {
          schedule: '*/10 * * * *',
          jobTemplate: { spec: { template: template({ [`${prefix}after`]: '5s' }, { restartPolicy: 'Never' }) } },
        },
      };
      await client.create({ ...jobs, resource: 'cronjobs' }, cronJob);
      await chain.clock.advance('3h');
      const { status } = await client.get({ ...jobs, resource: 'cronjobs' }, 'often');
      const { lastScheduleTime, lastSuccessfulTime } = status as Record<string, string>;
      assert.deepEqual([lastScheduleTime, lastSuccessfulTime], ['2030-01-01T02:50:00Z', '2030-01-01T02:50:05Z']);
      const { items } = await client.list(jobs);
      assert.deepEqual(items.map(({ metadata }) => metadata.creationTimestamp).sort(), [
        '2030-01-01T02:30:00Z',
        '2030-01-01T02:40:00Z',
        '2030-01-01T02:50:00Z',
      ]);
    }));

  it('come into being in the order of a seed', async () => {
    const historyWith = async (seed: number) => {
      const history: string[] = [];
      await withWorkloads({ workloads: { seed } }, async (chain, client) => {
        await client.create(deployments, deployment(3));
        await chain.workloads.ready('deployment/web');
        await client.patch(deployments, 'web', 'merge', {
          spec: { template: { metadata: { labels: { new: 'yes' } } } },
        });
        await chain.workloads.ready('deployment/web');
        const begin = Number((await client.get(deployments, 'web')).metadata.resourceVersion);
        for (const resource of ['pods', 'events'])
          for (const { metadata } of (await client.list({ ...pods, resource })).items)
            history.push(
              `${Number(metadata.resourceVersion) - begin} ${metadata.name} ${metadata.uid} ${metadata.creationTimestamp}`,
            );
      });
      return history;
    };
    const first = await historyWith(5);
    assert.ok(first.length > 20, first.join('\n'));
    assert.deepEqual(await historyWith(5), first);
    assert.notDeepEqual(await historyWith(6), first);
  });
});
