import assert from 'node:assert/strict';
import type { Lease } from '@apichain/api/coordination/v1';
import type { Node, Pod } from '@apichain/api/core/v1';
import { startControllers } from '@apichain/controllers';
import { WorkloadChain, soon } from './workload-chain.ts';

const secondMs = 1_000;

describe('controllers of nodes', function () {
  this.timeout(480_000);

  const now = (chain: WorkloadChain) => new Date(chain.chain.clock.now()).toISOString().replace(/\.\d+Z/, 'Z');
  const report = (chain: WorkloadChain, name: string, status = 'True') =>
    chain.setStatus('nodes', name, {
      conditions: [
        {
          type: 'Ready',
          status,
          lastHeartbeatTime: now(chain),
          lastTransitionTime: now(chain),
          reason: 'KubeletReady',
        },
      ],
    });
  async function addNode(chain: WorkloadChain, name: string): Promise<void> {
    await chain.create<Node>('nodes', { kind: 'Node', metadata: { name, labels: { 'kubernetes.io/os': 'linux' } } });
    await report(chain, name);
  }
  async function addPod(
    chain: WorkloadChain,
    name: string,
    nodeName: string,
    tolerationSeconds?: number,
  ): Promise<void> {
    const tolerations =
      tolerationSeconds === undefined
        ? []
        : [{ key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds }];
    await chain.create<Pod>('pods', {
      kind: 'Pod',
      metadata: { name },
      spec: { nodeName, tolerations, terminationGracePeriodSeconds: 0, containers: [{ name: 'a', image: 'a' }] },
    });
    await chain.setStatus('pods', name, {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: now(chain) }],
    });
  }
  /** A pod that is ready before it has a node, so that it is known as such when it comes to it. */
  async function bindReadyPod(chain: WorkloadChain, name: string, node: string): Promise<void> {
    await addPod(chain, name, '');
    const target = { apiVersion: 'v1', kind: 'Node', name: node };
    await chain.client.request('POST', `/api/v1/namespaces/default/pods/${name}/binding`, undefined, {
      ...{ apiVersion: 'v1', kind: 'Binding', metadata: { name }, target },
    });
  }
  const taintsOf = async (chain: WorkloadChain, name: string) =>
    ((await chain.get<Node>('nodes', name)).spec?.taints ?? []).map(({ key, effect }) => `${key}:${effect}`);

  it('notice a node that goes down, evict its pods by the clock, and let it return', async () => {
    await using chain = await WorkloadChain.start(['nodelifecycle', 'taint-eviction-controller']);
    for (const name of ['up', 'down']) await addNode(chain, name);
    await soon(async () => {
      assert.deepEqual(await taintsOf(chain, 'down'), []);
      const { metadata } = await chain.get<Node>('nodes', 'down');
      assert.equal(metadata.labels?.['beta.kubernetes.io/os'], 'linux');
    });
    await addPod(chain, 'patient', 'down', 30);
    await addPod(chain, 'unwilling', 'down', 0);
    await addPod(chain, 'safe', 'up', 0);
    await chain.chain.clock.advance(40 * secondMs);
    await report(chain, 'up');
    await chain.client.create<Lease>(
      { group: 'coordination.k8s.io', version: 'v1', resource: 'leases', namespace: 'kube-node-lease' },
      {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name: 'down' },
        spec: {
          holderIdentity: 'down',
          renewTime: new Date(chain.chain.clock.now()).toISOString().replace('Z', '000Z'),
        },
      },
    );
    await chain.chain.clock.advance(40 * secondMs);
    await report(chain, 'up');
    assert.deepEqual(await taintsOf(chain, 'down'), [], 'the lease was renewed 40 seconds ago');
    await chain.chain.clock.advance(11 * secondMs);
    await soon(async () => {
      const { status } = await chain.get<Node>('nodes', 'down');
      const ready = status?.conditions?.find(({ type }) => type === 'Ready');
      assert.equal(
        `${ready?.status} ${ready?.reason} ${ready?.message}`,
        'Unknown NodeStatusUnknown Kubelet stopped posting node status.',
      );
      const pressure = status?.conditions?.find(({ type }) => type === 'MemoryPressure');
      assert.equal(pressure?.reason, 'NodeStatusNeverUpdated');
      assert.deepEqual(await taintsOf(chain, 'down'), [
        'node.kubernetes.io/unreachable:NoSchedule',
        'node.kubernetes.io/unreachable:NoExecute',
      ]);
      await assert.rejects(chain.get('pods', 'unwilling'), { reason: 'NotFound' });
      const patient = await chain.get<Pod>('pods', 'patient');
      assert.equal(patient.status?.conditions?.find(({ type }) => type === 'Ready')?.status, 'False');
    });
    assert.ok(await chain.get('pods', 'safe'));
    await soon(async () => {
      const messages = await chain.events('down');
      assert.ok(messages.includes('RegisteredNode: Node down event: Registered Node down in Controller'));
      assert.ok(messages.includes('NodeNotReady: Node down status is now: NodeNotReady'));
      assert.ok((await chain.events('patient')).includes('NodeNotReady: Node is not ready'));
      assert.ok(
        (await chain.events('unwilling')).includes('TaintManagerEviction: Marking for deletion Pod default/unwilling'),
      );
    });
    await report(chain, 'down');
    await soon(async () => {
      assert.deepEqual(await taintsOf(chain, 'down'), []);
      const messages = await chain.events('patient');
      assert.ok(messages.includes('TaintManagerEviction: Cancelling deletion of Pod default/patient'));
    });
    await report(chain, 'down', 'False');
    await soon(async () => {
      assert.deepEqual(await taintsOf(chain, 'down'), ['node.kubernetes.io/not-ready:NoSchedule']);
    });
    await chain.chain.clock.advance(10 * secondMs);
    await soon(async () => {
      assert.deepEqual(await taintsOf(chain, 'down'), [
        'node.kubernetes.io/not-ready:NoSchedule',
        'node.kubernetes.io/not-ready:NoExecute',
      ]);
    });
  });

  it('leave the pods that nodes had before their start, and mark those that come to a silent one', async () => {
    await using chain = await WorkloadChain.start([]);
    const readyOf = async (name: string) =>
      (await chain.get<Pod>('pods', name)).status?.conditions?.find(({ type }) => type === 'Ready')?.status;
    await addNode(chain, 'silent');
    await report(chain, 'silent', 'Unknown');
    await chain.create<Node>('nodes', { kind: 'Node', metadata: { name: 'mute' } });
    for (const node of ['silent', 'mute']) await addPod(chain, `had-by-${node}`, node);
    const stop = new AbortController();
    const { stopped } = startControllers({
      ...{ client: chain.client, signal: stop.signal, controllers: ['nodelifecycle'] },
    });
    const taint = 'node.kubernetes.io/unreachable:NoSchedule';
    await soon(async () => assert.deepEqual(await taintsOf(chain, 'silent'), [taint]));
    for (const node of ['mute', 'silent']) await bindReadyPod(chain, `new-on-${node}`, node);
    await soon(async () => assert.equal(await readyOf('new-on-silent'), 'False'));
    // A node without the condition has not said anything.
    const others = ['had-by-silent', 'had-by-mute', 'new-on-mute'];
    assert.deepEqual(await Promise.all(others.map(readyOf)), ['True', 'True', 'True']);
    stop.abort();
    await stopped;
  });

  it('delete pods of nodes that are gone, and say why', async () => {
    await using chain = await WorkloadChain.start(['podgc']);
    await addNode(chain, 'short');
    await addPod(chain, 'left', 'short');
    await chain.patch('pods', 'left', { metadata: { finalizers: ['example.com/keep'] } });
    await chain.delete('nodes', 'short');
    await soon(async () => {
      // The controller has seen the pod once it has the quarantine of its node under way: nothing tells, so the clock moves until it is over.
      await chain.chain.clock.advance(5 * secondMs);
      const { metadata, status } = await chain.get<Pod>('pods', 'left');
      assert.ok(metadata.deletionTimestamp);
      assert.equal(status?.phase, 'Failed');
      const condition = status.conditions?.find(({ type }) => type === 'DisruptionTarget');
      assert.equal(`${condition?.reason}: ${condition?.message}`, 'DeletionByPodGC: PodGC: node no longer exists');
    });
  });
});
