import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Node, Pod } from '@apichain/api/core/v1';
import type { KubeObject } from '@apichain/meta';
import { simulatedLabel, type Stage } from '@apichain/simulated-nodes';
import { giveInput } from './kubectl.ts';
import { podsRef, type SimulatedCluster, startSimulatedCluster } from './simulated-nodes.fixture.ts';

const prefix = 'simulate.apichain.dev/';
const nodesRef = { group: '', version: 'v1', resource: 'nodes' } as const;
const leasesRef = {
  group: 'coordination.k8s.io',
  version: 'v1',
  resource: 'leases',
  namespace: 'kube-node-lease',
} as const;

const widgets = { group: 'example.com', version: 'v1', resource: 'widgets', namespace: 'default' } as const;
const widgetCrd = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { status: { type: 'object', properties: { phase: { type: 'string' } } } },
          },
        },
      },
    ],
  },
};
const widgetStage: Stage = {
  apiVersion: 'simulate.apichain.dev/v1alpha1',
  kind: 'Stage',
  metadata: { name: 'widget-ready' },
  spec: {
    resourceRef: { apiGroup: 'example.com/v1', kind: 'Widget' },
    selector: { matchExpressions: [{ key: '.status.phase', operator: 'DoesNotExist' }] },
    delay: { durationMilliseconds: 20 },
    steps: [
      { event: { reason: 'Ready', message: 'the widget is ready' } },
      { patch: { subresource: 'status', root: 'status', cel: { expression: '{"phase": "Ready"}' } } },
    ],
  },
};

const isRunning = (pod: Pod | undefined) => pod?.status?.phase === 'Running';
const isReady = (pod: Pod | undefined) =>
  pod?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;

describe('simulated nodes', function () {
  this.timeout(480_000);
  let cluster: SimulatedCluster;
  before(async () => {
    const broken = { ...widgetStage, metadata: { name: 'broken' }, spec: { ...widgetStage.spec, delay: 'soon' } };
    cluster = await startSimulatedCluster({
      nodes: [
        { name: 'node-1', labels: { zone: 'a' }, capacity: { cpu: '4' } },
        { name: 'node-2', capacity: { cpu: '-1' } },
        { name: 'node-3' },
      ],
      crds: [widgetCrd],
      stages: [broken, widgetStage],
    });
  });
  after(() => cluster?.stop());

  it('register with what they have, and say that they are simulated', async () => {
    const { items } = await cluster.client.list<Node>(nodesRef);
    assert.deepEqual(
      items.map(({ metadata }) => metadata.name),
      ['node-1', 'node-3'],
    );
    const { metadata, spec, status } = items[0] ?? assert.fail('there is no node');
    assert.equal(metadata.labels?.[simulatedLabel], 'true');
    assert.deepEqual([metadata.labels?.['zone'], spec?.podCIDR], ['a', '10.244.0.0/24']);
    assert.deepEqual([status?.capacity?.['cpu'], status?.allocatable?.['memory']], ['4', '32Gi']);
    assert.deepEqual(
      status?.conditions?.map(({ type, status: value }) => `${type}=${value}`),
      ['MemoryPressure=False', 'DiskPressure=False', 'PIDPressure=False', 'Ready=True'],
    );
    const lease = await cluster.client.get(leasesRef, 'node-1');
    assert.equal((lease['spec'] as { holderIdentity: string }).holderIdentity, 'node-1');
    assert.equal(lease.metadata.ownerReferences?.[0]?.uid, metadata.uid);
  });

  it('leave out what is impossible, with one line that says where', () => {
    assert.deepEqual(cluster.log.slice(0, 2).sort(), [
      'nodes[1] node-2: capacity.cpu: -1 is negative {}',
      'stage broken: spec.delay: must be an object {}',
    ]);
  });

  it('run pods as their own users, with the events of a kubelet', async () => {
    await cluster.createPod('web');
    const pod = await cluster.until('web', isReady);
    assert.match(pod?.status?.podIP ?? '', /^10\.244\.0\.\d+$/);
    assert.equal(pod?.status?.containerStatuses?.[0]?.ready, true);
    const { source, reportingComponent, involvedObject } = await cluster.eventOf('web', 'Started');
    assert.deepEqual([source?.component, source?.host, reportingComponent], ['kubelet', 'node-1', 'kubelet']);
    assert.equal(involvedObject?.fieldPath, 'spec.containers{main}');
    const writers = cluster.chain.requests
      .filter(({ resource, name, verb }) => resource === 'pods' && name === 'web' && verb === 'patch')
      .map(({ verb, subresource, user, groups }) => [verb, subresource, user, groups.includes('system:nodes')]);
    assert.deepEqual(writers, [['patch', 'status', 'system:node:node-1', true]]);
  });

  it('return logs, and follow them until the container ends', async () => {
    await cluster.createPod('talker', {}, { [`${prefix}log`]: 'one\ntwo\nthree' });
    await cluster.until('talker', isRunning);
    assert.equal(await cluster.kubectl('logs', 'talker', '--tail=2'), 'two\nthree\n');
    assert.match(await cluster.kubectl('logs', 'talker', '--tail=1', '--timestamps'), /^\d{4}-.*Z three\n$/);
    await assert.rejects(
      cluster.kubectl('logs', 'talker', '--previous'),
      /previous terminated container \\?"main\\?" in pod \\?"talker\\?" not found/,
    );
    const following = cluster.kubectl('logs', 'talker', '--follow');
    await cluster.kubectl('annotate', 'pod', 'talker', '--overwrite', `${prefix}log=one\ntwo\nthree\nfour`);
    await cluster.kubectl('delete', 'pod', 'talker');
    assert.match(await following, /^one\ntwo\nthree\n/);
  });

  for (const [protocol, environment] of [
    ['WebSockets', {}],
    ['SPDY', { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: 'false', KUBECTL_PORT_FORWARD_WEBSOCKETS: 'false' }],
  ] as const)
    describe(`over ${protocol}`, () => {
      const name = `streams-${protocol.toLowerCase()}`;
      const kubectl = (...args: readonly string[]) =>
        spawn('kubectl', ['--kubeconfig', cluster.chain.kubeconfigFile, ...args], {
          env: { ...process.env, ...environment },
        });
      const result = async (input: string, ...args: readonly string[]) => {
        const child = kubectl(...args);
        const chunks: Buffer[] = [];
        child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
        giveInput(child.stdin, input);
        const [code] = (await once(child, 'close')) as [number];
        return [code, Buffer.concat(chunks).toString()];
      };
      before(async () => {
        const outputs = JSON.stringify({ date: 'today\n' });
        await cluster.createPod(
          name,
          { containers: [{ name: 'main', image: 'nginx', ports: [{ containerPort: 80 }] }] },
          { [`${prefix}exec`]: outputs, [`${prefix}http`]: 'hello from the pod' },
        );
        await cluster.until(name, isRunning);
      });

      it('run commands', async () => {
        assert.deepEqual(await result('', 'exec', name, '--', 'date'), [0, 'today\n']);
        assert.deepEqual(await result('', 'exec', name, '--', 'ls', '-l'), [0, 'simulated: ls -l\n']);
        assert.deepEqual(await result('', 'exec', name, '--', 'sh', '-c', 'exit 3'), [3, '']);
        assert.deepEqual(await result('some input', 'exec', '-i', name, '--', 'cat'), [0, 'some input']);
        assert.deepEqual(await result('echo a\nexit 2\n', 'exec', '-i', name, '--', 'sh'), [2, 'a\n']);
      });

      it('attach to a container until it ends', async () => {
        const attached = kubectl('attach', name, '--stdin=false');
        const [text] = (await once(attached.stdout, 'data')) as [Buffer];
        assert.equal(text.toString(), 'simulated container main of image nginx\n');
        const closed = once(attached, 'close');
        attached.kill();
        await closed;
      });

      it('forward ports', async () => {
        const forwarding = kubectl('port-forward', `pod/${name}`, ':80');
        const [line] = (await once(forwarding.stdout, 'data')) as [Buffer];
        const port = /127\.0\.0\.1:(\d+)/.exec(line.toString())?.[1] ?? assert.fail(line.toString());
        for (let times = 0; times < 2; times++) {
          const response = await fetch(`http://127.0.0.1:${port}/any/path`);
          assert.deepEqual([response.status, await response.text()], [200, 'hello from the pod']);
        }
        const closed = once(forwarding, 'close');
        forwarding.kill();
        await closed;
      });
    });

  it('restart what fails, and remember how it ended', async () => {
    await cluster.createPod('failing', {}, { [`${prefix}exit-code`]: '2' });
    const hasCrashed = (pod: Pod | undefined) =>
      pod?.status?.containerStatuses?.[0]?.state?.waiting?.reason === 'CrashLoopBackOff';
    const [status] = (await cluster.until('failing', hasCrashed))?.status?.containerStatuses ?? [];
    assert.deepEqual([status?.restartCount, status?.lastState?.terminated?.exitCode], [1, 2]);
    assert.match(await cluster.kubectl('logs', 'failing', '--previous'), /^simulated container main/);
  });

  it('tell of an annotation that makes no sense, and go on', async () => {
    await cluster.createPod('odd', {}, { [`${prefix}after`]: 'soon' });
    await cluster.until('odd', isReady);
    const line = `annotation ${prefix}after: it must be a duration such as 3s: time: invalid duration "soon"`;
    const event = await cluster.eventOf('odd', 'InvalidSimulation');
    assert.deepEqual([event.type, event.message], ['Warning', line]);
    assert.ok(cluster.log.includes(`pod default/odd: ${line} {}`), cluster.log.join('\n'));
  });

  it('end pods that are deleted', async () => {
    await cluster.createPod('short-lived');
    const pod = await cluster.until('short-lived', isReady);
    await cluster.kubectl('delete', 'pod', 'short-lived', '--wait=false');
    assert.equal(await cluster.until('short-lived', (found) => found === undefined), undefined);
    await cluster.createPod('short-lived');
    assert.notEqual((await cluster.until('short-lived', isReady))?.metadata.uid, pod?.metadata.uid);
  });

  it('tell that they stop containers when they begin to, also of pods that are removed at once', async () => {
    await cluster.createPod('slow-end', {}, { [`${prefix}stop`]: 'never' });
    await cluster.createPod('forced');
    await cluster.until('slow-end', isReady);
    await cluster.until('forced', isReady);
    await cluster.kubectl('delete', 'pod', 'slow-end', '--wait=false');
    assert.equal((await cluster.eventOf('slow-end', 'Killing')).message, 'Stopping container main');
    assert.equal(isReady(await cluster.pod('slow-end')), true);
    await cluster.kubectl('delete', 'pod', 'slow-end', 'forced', '--grace-period=0', '--force');
    const { involvedObject } = await cluster.eventOf('forced', 'Killing');
    assert.equal(involvedObject?.fieldPath, 'spec.containers{main}');
  });

  it('do nothing while they are down', async () => {
    const node = cluster.nodes.node('node-1');
    node.down();
    await cluster.createPod('late');
    // The pod of another node has run through the same queue.
    await cluster.createPod('elsewhere-at-once', { nodeName: 'node-3' });
    await cluster.until('elsewhere-at-once', isReady);
    const { status } = await cluster.pod('late');
    assert.deepEqual([status?.phase, status?.startTime], ['Pending', undefined]);
    await assert.rejects(cluster.kubectl('logs', 'web'), /Error from server/);
    node.up();
    await cluster.until('late', isReady);
    assert.throws(() => cluster.nodes.node('other'), /node other is not simulated/);
  });

  it('are joined by nodes that a user creates with the label', async () => {
    await cluster.client.create<Node>(nodesRef, {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'mine', labels: { [simulatedLabel]: 'true' } },
      status: { capacity: { cpu: '2', memory: '4Gi', pods: '10' } },
    });
    await cluster.createPod('guest', { nodeName: 'mine' });
    await cluster.until('guest', isReady);
    const { status } = await cluster.client.get<Node>(nodesRef, 'mine');
    assert.deepEqual([status?.capacity?.['cpu'], status?.nodeInfo?.osImage], ['2', 'simulated']);
  });

  it('reject pods that do not fit, in the words of a kubelet', async () => {
    const requesting = (cpu: string) => ({
      nodeName: 'mine',
      containers: [{ name: 'main', image: 'a', resources: { requests: { cpu } } }],
    });
    await cluster.createPod('small', requesting('1500m'));
    await cluster.until('small', isReady);
    await cluster.createPod('large', requesting('600m'));
    const pod = await cluster.until('large', (current) => current?.status?.phase === 'Failed');
    const message = "Node didn't have enough resource: cpu, requested: 600, used: 1500, capacity: 2000";
    const { reason, message: told, conditions, containerStatuses } = pod?.status ?? {};
    assert.deepEqual(
      [reason, told, conditions, containerStatuses],
      ['OutOfcpu', `Pod was rejected: ${message}`, undefined, undefined],
    );
    const event = await cluster.eventOf('large', 'OutOfcpu');
    assert.deepEqual([event.type, event.message, event.source?.host], ['Warning', message, 'mine']);
    await cluster.kubectl('delete', 'pod', 'small', 'large');
    await cluster.createPod('next', requesting('2'));
    await cluster.until('next', isReady);
  });

  it('play the stages of custom kinds', async () => {
    const widget: KubeObject = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' } };
    await cluster.client.create(widgets, widget);
    await cluster.kubectl('wait', 'widget/w', '--for=jsonpath={.status.phase}=Ready', '--timeout=120s');
    const event = await cluster.eventOf('w', 'Ready');
    assert.deepEqual([event.message, event.source?.component], ['the widget is ready', 'simulated-nodes']);
  });

  it('are measured', async () => {
    const requests = { cpu: '250m', memory: '64Mi' };
    await cluster.createPod(
      'busy',
      { nodeName: 'node-3', containers: [{ name: 'main', image: 'a', resources: { requests } }] },
      { [`${prefix}memory`]: '1Gi' },
    );
    await cluster.until('busy', isReady);
    await cluster.kubectl('wait', 'apiservice/v1beta1.metrics.k8s.io', '--for=condition=Available', '--timeout=120s');
    const words = (text: string) =>
      text
        .trim()
        .split('\n')
        .map((line) => line.split(/ +/));
    const top = await cluster.kubectl('top', 'pod', 'busy', '--no-headers');
    assert.deepEqual(words(top), [['busy', '250m', '1024Mi']]);
    const nodes = words(await cluster.kubectl('top', 'nodes', '--no-headers'));
    assert.deepEqual(
      nodes.map(([name]) => name),
      ['mine', 'node-1', 'node-3'],
    );
    assert.ok(Number.parseInt(nodes[2]?.[1] ?? '', 10) >= 350, nodes[2]?.join(' '));
  });

  it('leave other nodes alone', async () => {
    await cluster.client.create<Node>(nodesRef, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'real' } });
    await cluster.createPod('elsewhere', { nodeName: 'real' });
    // The pod after it has run through the same queue.
    await cluster.createPod('here');
    await cluster.until('here', isReady);
    const { status } = await cluster.client.get<Pod>(podsRef, 'elsewhere');
    assert.deepEqual([status?.phase, status?.startTime], ['Pending', undefined]);
  });
});
