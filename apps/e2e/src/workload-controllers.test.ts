import assert from 'node:assert/strict';
import type { RestClient } from '@apichain/client';
import { findCondition } from '@apichain/meta';
import { type TestChain, startChain } from '@apichain/testing';
import { PodRunner, clientOf } from './pod-runner.ts';
import {
  deployment,
  deploymentThat,
  deployments,
  events,
  imageOf,
  isRolledOut,
  namespace,
  pods,
  replicaSets,
  template,
  eventually,
  waitFor,
} from './workload-objects.ts';

const controllers = ['deployment', 'replicaset', 'replicationcontroller', 'garbagecollector'];

const messagesAbout = async (client: RestClient, name: string): Promise<(string | undefined)[]> => {
  const { items } = await client.list(events);
  return items.filter(({ involvedObject }) => involvedObject?.name === name).map(({ message }) => message);
};

describe('workload controllers', function () {
  this.timeout(480_000);
  let chain: TestChain;
  let client: RestClient;
  beforeEach(async () => {
    chain = await startChain({ controllers });
    client = clientOf(chain);
  });
  afterEach(async () => {
    await client.close();
    await chain.stop();
  });

  it('roll out a Deployment, update it within its surge, and undo', async () => {
    let most = 0;
    await using runner = new PodRunner(chain, () => {
      most = Math.max(most, runner.running().length);
      return 'ready';
    });
    await client.create(deployments, deployment());
    const first = await deploymentThat(client, 'a first rollout', isRolledOut);
    assert.equal(first.metadata.annotations?.['deployment.kubernetes.io/revision'], '1');
    assert.equal(findCondition(first.status?.conditions, 'Available')?.reason, 'MinimumReplicasAvailable');
    const [set] = (await client.list(replicaSets)).items;
    assert.ok(set);
    assert.deepEqual(set.status, {
      replicas: 3,
      fullyLabeledReplicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      terminatingReplicas: 0,
      observedGeneration: 1,
    });
    assert.deepEqual(set.metadata.ownerReferences, [
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        name: 'web',
        uid: first.metadata.uid,
        controller: true,
        blockOwnerDeletion: true,
      },
    ]);

    await client.patch(deployments, 'web', 'merge', { spec: { template: template('a:2') } });
    const second = await deploymentThat(client, 'an update', isRolledOut);
    assert.equal(second.metadata.annotations?.['deployment.kubernetes.io/revision'], '2');
    assert.deepEqual(runner.running().map(imageOf), ['a:2', 'a:2', 'a:2']);
    assert.ok(most <= 4, `${most} pods at once`);

    await client.patch(deployments, 'web', 'merge', { spec: { template: template('a:1') } });
    const third = await deploymentThat(client, 'an undo', isRolledOut);
    assert.equal(third.metadata.annotations?.['deployment.kubernetes.io/revision'], '3');
    const sets = (await client.list(replicaSets)).items;
    const restored = sets.find(({ metadata }) => metadata.uid === set.metadata.uid);
    assert.equal(restored?.metadata.annotations?.['deployment.kubernetes.io/revision'], '3');
    assert.equal(restored?.metadata.annotations?.['deployment.kubernetes.io/revision-history'], '1');
    assert.equal(sets.length, 2);
    const name = set.metadata.name ?? '';
    const other = sets.find(({ metadata }) => metadata.uid !== set.metadata.uid)?.metadata.name ?? '';
    const scaled = await eventually(async () => {
      const messages = await messagesAbout(client, 'web');
      const last = `Scaled down replica set ${other} from 1 to 0`;
      // From the tenth message on, they are combined in one event.
      assert.ok(
        messages.some((message) => message?.endsWith(last)),
        `${last} in ${messages.join('; ')}`,
      );
      return messages;
    });
    for (const message of [
      `Scaled up replica set ${name} from 0 to 3`,
      `Scaled up replica set ${other} from 0 to 1`,
      `Scaled down replica set ${name} from 3 to 2`,
      `Scaled down replica set ${name} from 1 to 0`,
    ])
      assert.ok(scaled.includes(message), `${message} in ${scaled.join('; ')}`);
  });

  it('report a lack of progress when the deadline passes on the clock of the chain', async () => {
    await using _runner = new PodRunner(chain, (pod) => (imageOf(pod) === 'bad' ? 'pending' : 'ready'));
    await client.create(deployments, deployment({ progressDeadlineSeconds: 600 }));
    await deploymentThat(client, 'a first rollout', isRolledOut);
    await client.patch(deployments, 'web', 'merge', { spec: { template: template('bad') } });
    const stuck = await deploymentThat(
      client,
      'a rollout that does not progress',
      ({ status }) => status?.updatedReplicas === 1 && status.unavailableReplicas === 1,
    );
    assert.equal(findCondition(stuck.status?.conditions, 'Progressing')?.reason, 'ReplicaSetUpdated');
    await chain.clock.advance(602_000);
    const failed = await deploymentThat(
      client,
      'a failed rollout',
      ({ status }) => findCondition(status?.conditions, 'Progressing')?.status === 'False',
    );
    const condition = findCondition(failed.status?.conditions, 'Progressing');
    assert.equal(condition?.reason, 'ProgressDeadlineExceeded');
    assert.match(condition.message ?? '', /^ReplicaSet "web-[a-z0-9]+" has timed out progressing\.$/);
    assert.equal(failed.status?.availableReplicas, 3);
    await client.patch(deployments, 'web', 'merge', { spec: { template: template('a:1') } });
    await deploymentThat(client, 'an undo', isRolledOut);
  });

  it('hold a paused rollout, and scale in proportion meanwhile', async () => {
    await using _runner = new PodRunner(chain, (pod) => (imageOf(pod) === 'bad' ? 'pending' : 'ready'));
    await client.create(deployments, deployment({ replicas: 8 }));
    await deploymentThat(client, 'a first rollout', isRolledOut);
    await client.patch(deployments, 'web', 'merge', { spec: { template: template('bad') } });
    await deploymentThat(
      client,
      'a stuck rollout',
      ({ status }) => status?.updatedReplicas === 4 && status.replicas === 10,
    );
    await client.patch(deployments, 'web', 'merge', { spec: { paused: true } });
    await deploymentThat(
      client,
      'a pause',
      ({ status }) => findCondition(status?.conditions, 'Progressing')?.reason === 'DeploymentPaused',
    );
    await client.patch(deployments, 'web', 'merge', { spec: { replicas: 16, template: template('a:3') } });
    await deploymentThat(client, 'a proportional scale', ({ status }) => status?.replicas === 20);
    const sizes = (await client.list(replicaSets)).items.map(({ spec }) => spec?.replicas).sort();
    assert.deepEqual(sizes, [12, 8]);
    await client.patch(deployments, 'web', 'merge', { spec: { paused: false } });
    await deploymentThat(client, 'a resumed rollout', isRolledOut);
  });

  it('stop all old pods before new ones with Recreate', async () => {
    const seen = new Set<string>();
    await using runner = new PodRunner(chain, () => {
      seen.add([...new Set(runner.running().map(imageOf))].join());
      return 'ready';
    });
    await client.create(deployments, deployment({ strategy: { type: 'Recreate' } }));
    await deploymentThat(client, 'a first rollout', isRolledOut);
    await client.patch(deployments, 'web', 'merge', { spec: { template: template('a:2') } });
    await deploymentThat(client, 'an update', isRolledOut);
    assert.deepEqual([...seen], ['a:1', 'a:2']);
  });

  it('keep as many former ReplicaSets as the history may have', async () => {
    await using _runner = new PodRunner(chain);
    await client.create(deployments, deployment({ replicas: 1, revisionHistoryLimit: 1 }));
    for (const image of ['a:2', 'a:3', 'a:4']) {
      await deploymentThat(client, 'a rollout', isRolledOut);
      await client.patch(deployments, 'web', 'merge', { spec: { template: template(image) } });
    }
    await deploymentThat(client, 'a rollout', isRolledOut);
    const revisions = await waitFor(async () => {
      const { items } = await client.list(replicaSets);
      return (
        items.length === 2 && items.map(({ metadata }) => metadata.annotations?.['deployment.kubernetes.io/revision'])
      );
    });
    assert.deepEqual(revisions.sort(), ['3', '4']);
  });

  it('adopt pods that match, release those that no longer do, and replace them', async () => {
    await using runner = new PodRunner(chain);
    const { spec } = template('a:0');
    const metadata = { name: 'orphan', labels: { app: 'web' } };
    await client.create(pods, { apiVersion: 'v1', kind: 'Pod', metadata, spec });
    await waitFor(() => runner.running().length === 1);
    await client.create(replicaSets, {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: { name: 'web', namespace },
      spec: { replicas: 2, selector: { matchLabels: { app: 'web' } }, template: template('a:1') },
    });
    const owned = () => runner.running().filter(({ metadata }) => metadata.ownerReferences?.[0]?.name === 'web');
    await waitFor(() => owned().length === 2);
    assert.ok(owned().some(({ metadata }) => metadata.name === 'orphan'));
    await client.patch(pods, 'orphan', 'merge', { metadata: { labels: { app: 'other' } } });
    await waitFor(() => owned().length === 2 && owned().every(({ metadata }) => metadata.name !== 'orphan'));
    const released = await client.get(pods, 'orphan');
    assert.equal(released.metadata.ownerReferences, undefined);
    await client.patch(replicaSets, 'web', 'merge', { spec: { replicas: 0 } });
    await waitFor(() => owned().length === 0);
    assert.deepEqual(
      runner.running().map(({ metadata }) => metadata.name),
      ['orphan'],
    );
  });

  it('count a replica as available when it was ready for minReadySeconds on the clock of the chain', async () => {
    await using _runner = new PodRunner(chain);
    const replicationControllers = { group: '', version: 'v1', resource: 'replicationcontrollers', namespace };
    await client.create(replicationControllers, {
      apiVersion: 'v1',
      kind: 'ReplicationController',
      metadata: { name: 'old', namespace },
      spec: { replicas: 2, minReadySeconds: 300, selector: { app: 'web' }, template: template('a:1') },
    });
    const statusThat = (condition: (status: Record<string, number>) => boolean) =>
      waitFor(async () => {
        const { status } = await client.get(replicationControllers, 'old');
        return condition(status as Record<string, number>) && status;
      });
    const ready = await statusThat(({ readyReplicas }) => readyReplicas === 2);
    assert.deepEqual(ready, { replicas: 2, fullyLabeledReplicas: 2, readyReplicas: 2, observedGeneration: 1 });
    await chain.clock.advance(301_000);
    await statusThat(({ availableReplicas }) => availableReplicas === 2);
  });

  it('report why pods cannot be created, and go on when they can', async () => {
    await using _runner = new PodRunner(chain);
    const quotas = { group: '', version: 'v1', resource: 'resourcequotas', namespace };
    const quota = await client.create(quotas, {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'few' },
      spec: { hard: { pods: '2' } },
    });
    await client.update(
      quotas,
      { ...quota, status: { hard: { pods: '2' }, used: { pods: '0' } } },
      { subresource: 'status' },
    );
    await client.create(deployments, deployment());
    const failing = await deploymentThat(
      client,
      'a failure',
      ({ status }) =>
        findCondition(status?.conditions, 'ReplicaFailure') !== undefined && status?.availableReplicas === 2,
    );
    const failure = findCondition(failing.status?.conditions, 'ReplicaFailure');
    assert.equal(failure?.reason, 'FailedCreate');
    assert.match(failure.message ?? '', /^pods "web-[a-z0-9]+-[a-z0-9]+" is forbidden: exceeded quota: few/);
    await client.delete(quotas, 'few');
    const done = await deploymentThat(client, 'a rollout', isRolledOut);
    assert.equal(findCondition(done.status?.conditions, 'ReplicaFailure'), undefined);
  });
});
