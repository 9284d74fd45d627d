import assert from 'node:assert/strict';
import type { DaemonSet, StatefulSet } from '@apichain/api/apps/v1';
import type { RestClient } from '@apichain/client';
import { type TestChain, startChain } from '@apichain/testing';
import { PodRunner, clientOf } from './pod-runner.ts';
import {
  addNode,
  claims,
  daemonSets,
  events,
  imageOf,
  namespace,
  nodes,
  pods,
  revisions,
  statefulSets,
  template,
  waitFor,
} from './workload-objects.ts';

const nameOf = ({ metadata }: { metadata: { name?: string } }): string => metadata.name ?? '';

async function messagesOf(client: RestClient): Promise<string[]> {
  const { items } = await client.list(events);
  return items.map(({ message = '' }) => message);
}

describe('stateful set controller', function () {
  this.timeout(480_000);
  let chain: TestChain;
  let client: RestClient;
  beforeEach(async () => {
    chain = await startChain({ controllers: ['statefulset', 'garbagecollector', 'pvc-protection'] });
    client = clientOf(chain);
  });
  afterEach(async () => {
    await client.close();
    await chain.stop();
  });

  const create = (spec: object = {}) =>
    client.create(statefulSets, {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { name: 'web', namespace },
      spec: {
        replicas: 3,
        serviceName: 'web',
        selector: { matchLabels: { app: 'web' } },
        template: template('a:1'),
        ...spec,
      },
    });
  const setThat = (
    what: string,
    condition: (status: NonNullable<StatefulSet['status']>, set: StatefulSet) => boolean,
  ) =>
    waitFor(
      async () => {
        const set = await client.get(statefulSets, 'web');
        const isCurrent = set.status?.observedGeneration === set.metadata.generation;
        return isCurrent && condition(set.status ?? {}, set) && set;
      },
      { what },
    );

  it('creates pods in order, each with its identity', async () => {
    const ready: string[] = [];
    await using runner = new PodRunner(chain, (pod) => {
      if (!ready.includes(nameOf(pod))) ready.push(nameOf(pod));
      return 'ready';
    });
    await create();
    const set = await setThat('ready pods', ({ availableReplicas }) => availableReplicas === 3);
    assert.deepEqual(ready, ['web-0', 'web-1', 'web-2']);
    const [revision] = (await client.list(revisions)).items;
    const name = revision?.metadata.name;
    assert.deepEqual(set.status, {
      observedGeneration: 1,
      replicas: 3,
      readyReplicas: 3,
      currentReplicas: 3,
      updatedReplicas: 3,
      currentRevision: name,
      updateRevision: name,
      collisionCount: 0,
      availableReplicas: 3,
    });
    const pod = runner.running().find((running) => nameOf(running) === 'web-1');
    assert.deepEqual(pod?.metadata.labels, {
      app: 'web',
      'apps.kubernetes.io/pod-index': '1',
      'controller-revision-hash': name,
      'statefulset.kubernetes.io/pod-name': 'web-1',
    });
    assert.equal(pod.spec?.hostname, 'web-1');
    assert.equal(pod.spec.subdomain, 'web');
    await waitFor(async () => (await messagesOf(client)).includes('Create Pod web-2 in StatefulSet web successful'));
  });

  it('updates pods from the last down to the partition, and goes back', async () => {
    await using runner = new PodRunner(chain);
    await create({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 2 } } });
    const first = await setThat('ready pods', ({ availableReplicas }) => availableReplicas === 3);
    await client.patch(statefulSets, 'web', 'merge', { spec: { template: template('a:2') } });
    await setThat('a partial update', (status) => status.updatedReplicas === 1 && status.availableReplicas === 3);
    assert.deepEqual(runner.running().map(imageOf), ['a:1', 'a:1', 'a:2']);
    await client.patch(statefulSets, 'web', 'merge', { spec: { updateStrategy: { rollingUpdate: { partition: 0 } } } });
    await setThat(
      'an update',
      (status) => status.availableReplicas === 3 && status.currentRevision === status.updateRevision,
    );
    assert.deepEqual(runner.running().map(imageOf), ['a:2', 'a:2', 'a:2']);
    await client.patch(statefulSets, 'web', 'merge', { spec: { template: template('a:1') } });
    await setThat('the first revision', (status) => status.currentRevision === first.status?.updateRevision);
    const numbers = (await client.list(revisions)).items.map(({ revision }) => revision).sort();
    assert.deepEqual(numbers, [2, 3]);
  });

  it('creates pods at once with Parallel', async () => {
    await using runner = new PodRunner(chain, () => 'pending');
    await create({ podManagementPolicy: 'Parallel', replicas: 5, ordinals: { start: 7 } });
    await waitFor(() => runner.running().length === 5);
    assert.deepEqual(runner.running().map(nameOf), ['web-10', 'web-11', 'web-7', 'web-8', 'web-9']);
  });

  it('replaces failed pods', async () => {
    await using runner = new PodRunner(chain);
    await create({ replicas: 1 });
    await setThat('a ready pod', ({ availableReplicas }) => availableReplicas === 1);
    const [before] = runner.running();
    await client.patch(pods, 'web-0', 'merge', { status: { phase: 'Failed' } }, { subresource: 'status' });
    await waitFor(() => runner.running().some(({ metadata }) => metadata.uid !== before?.metadata.uid));
    await setThat('a ready pod', ({ availableReplicas }) => availableReplicas === 1);
  });

  it('counts a pod as available when it was ready for minReadySeconds on the clock of the chain', async () => {
    await using runner = new PodRunner(chain);
    await create({ replicas: 2, minReadySeconds: 300 });
    await setThat(
      'a ready pod',
      ({ readyReplicas, availableReplicas }) => readyReplicas === 1 && availableReplicas === 0,
    );
    assert.equal(runner.running().length, 1);
    await chain.clock.advance(301_000);
    await setThat(
      'the next pod',
      ({ readyReplicas, availableReplicas }) => readyReplicas === 2 && availableReplicas === 1,
    );
  });

  it('keeps claims, or deletes them with their pods as the retention policy says', async () => {
    await using _runner = new PodRunner(chain);
    const claimTemplate = {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'data' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    };
    await create({
      volumeClaimTemplates: [claimTemplate],
      persistentVolumeClaimRetentionPolicy: { whenScaled: 'Delete', whenDeleted: 'Retain' },
    });
    await setThat('ready pods', ({ availableReplicas }) => availableReplicas === 3);
    const pod = await client.get(pods, 'web-1');
    assert.equal(pod.spec?.volumes?.[0]?.persistentVolumeClaim?.claimName, 'data-web-1');
    assert.deepEqual((await client.list(claims)).items.map(nameOf), ['data-web-0', 'data-web-1', 'data-web-2']);
    await client.patch(statefulSets, 'web', 'merge', { spec: { replicas: 1 } });
    await waitFor(async () => (await client.list(claims)).items.length === 1);
    await client.delete(statefulSets, 'web');
    await waitFor(async () => (await client.list(pods)).items.length === 0);
    assert.deepEqual((await client.list(claims)).items.map(nameOf), ['data-web-0']);
  });
});

describe('daemon set controller', function () {
  this.timeout(480_000);
  let chain: TestChain;
  let client: RestClient;
  beforeEach(async () => {
    chain = await startChain({ controllers: ['daemonset', 'garbagecollector'] });
    client = clientOf(chain);
    for (const name of ['n1', 'n2', 'n3']) await addNode(client, name);
  });
  afterEach(async () => {
    await client.close();
    await chain.stop();
  });

  const create = (spec: object = {}) =>
    client.create(daemonSets, {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { name: 'web', namespace },
      spec: { selector: { matchLabels: { app: 'web' } }, template: template('a:1'), ...spec },
    });
  const setThat = (what: string, condition: (status: NonNullable<DaemonSet['status']>) => boolean) =>
    waitFor(
      async () => {
        const set = await client.get(daemonSets, 'web');
        const isCurrent = set.status?.observedGeneration === set.metadata.generation;
        return isCurrent && condition(set.status ?? {}) && set;
      },
      { what },
    );

  it('places a pod on each node, and follows nodes', async () => {
    await using runner = new PodRunner(chain);
    await create();
    const set = await setThat('ready pods', ({ numberAvailable }) => numberAvailable === 3);
    assert.deepEqual(set.status, {
      currentNumberScheduled: 3,
      numberMisscheduled: 0,
      desiredNumberScheduled: 3,
      numberReady: 3,
      observedGeneration: 1,
      updatedNumberScheduled: 3,
      numberAvailable: 3,
    });
    const [pod] = runner.running();
    const required = pod?.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
    assert.match(JSON.stringify(required), /"metadata.name","operator":"In","values":\["n[123]"\]/);
    assert.ok(pod?.spec?.tolerations?.some(({ key }) => key === 'node.kubernetes.io/unschedulable'));
    await addNode(client, 'n4');
    await setThat('a pod on the new node', ({ numberAvailable }) => numberAvailable === 4);
    const taints = [{ key: 'gpu', value: 'yes', effect: 'NoExecute' }];
    await client.patch(nodes, 'n4', 'merge', { spec: { taints } });
    await setThat(
      'no pod on the tainted node',
      (status) => status.desiredNumberScheduled === 3 && status.numberMisscheduled === 0,
    );
    await waitFor(() => runner.running().length === 3);
  });

  it('updates within its limit', async () => {
    let fewest = 3;
    await using runner = new PodRunner(chain, () => {
      fewest = Math.min(fewest, runner.running().filter(({ status }) => status?.phase === 'Running').length);
      return 'ready';
    });
    await create({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1 } } });
    await setThat('ready pods', ({ numberAvailable }) => numberAvailable === 3);
    fewest = 3;
    await client.patch(daemonSets, 'web', 'merge', { spec: { template: template('a:2') } });
    await setThat('an update', (status) => status.updatedNumberScheduled === 3 && status.numberAvailable === 3);
    assert.deepEqual(runner.running().map(imageOf), ['a:2', 'a:2', 'a:2']);
    assert.equal(fewest, 2);
    assert.equal((await client.list(revisions)).items.length, 2);
  });

  it('updates with a surge', async () => {
    let most = 0;
    await using runner = new PodRunner(chain, () => {
      most = Math.max(most, runner.running().length);
      return 'ready';
    });
    await create({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } });
    await setThat('ready pods', ({ numberAvailable }) => numberAvailable === 3);
    await client.patch(daemonSets, 'web', 'merge', { spec: { template: template('a:2') } });
    await setThat('an update', (status) => status.updatedNumberScheduled === 3 && status.numberAvailable === 3);
    await waitFor(() => runner.running().length === 3);
    assert.deepEqual(runner.running().map(imageOf), ['a:2', 'a:2', 'a:2']);
    assert.equal(most, 4);
  });

  it('leaves pods alone with OnDelete, and replaces failed ones', async () => {
    await using runner = new PodRunner(chain);
    await create({ updateStrategy: { type: 'OnDelete' } });
    await setThat('ready pods', ({ numberAvailable }) => numberAvailable === 3);
    await client.patch(daemonSets, 'web', 'merge', { spec: { template: template('a:2') } });
    await setThat('old pods', (status) => (status.updatedNumberScheduled ?? 0) === 0 && status.numberAvailable === 3);
    const [first] = runner.running();
    assert.ok(first);
    await client.patch(pods, nameOf(first), 'merge', { status: { phase: 'Failed' } }, { subresource: 'status' });
    await setThat('a new pod', (status) => status.updatedNumberScheduled === 1 && status.numberAvailable === 3);
    const messages = await waitFor(async () => {
      const all = await messagesOf(client);
      return all.some((message) => message.startsWith('Found failed daemon pod')) && all;
    });
    assert.ok(
      messages.some((message) => message.startsWith(`Found failed daemon pod default/${nameOf(first)} on node `)),
    );
  });
});
