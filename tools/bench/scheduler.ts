/** Measures how many pods a second the scheduler places by itself: the API server is a stand-in that responds at once. */
import type { Node, Pod } from '@apichain/api/core/v1';
import { EventRecorder, RestClient, type Transport, type TransportRequest, silentLogger } from '@apichain/client';
import { Scheduler } from '../../libs/scheduler/src/scheduler.ts';
import { flags, runCommand } from '../command/command.ts';

const usage = `usage: node tools/bench/scheduler.ts [--nodes 1000] [--pods 10000] [--workloads 100]

The pods belong to workloads, ReplicaSets of equal size, and are spread by default. Prints pods per second for plain pods, for pods with anti-affinity
among their own, and for pods with a topology spread constraint.`;

interface Shape {
  readonly name: string;
  spec(app: string): NonNullable<Pod['spec']>;
}

const selected = (app: string) => ({ labelSelector: { matchLabels: { app } } });

const shapes: readonly Shape[] = [
  { name: 'plain', spec: () => ({}) },
  {
    name: 'anti-affinity',
    spec: (app) => ({
      affinity: {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [{ ...selected(app), topologyKey: 'kubernetes.io/hostname' }],
        },
      },
    }),
  },
  {
    name: 'topology spread',
    spec: (app) => ({
      topologySpreadConstraints: [
        {
          ...selected(app),
          maxSkew: 1,
          topologyKey: 'topology.kubernetes.io/zone',
          whenUnsatisfiable: 'DoNotSchedule',
        },
      ],
    }),
  },
];

const newNode = (index: number): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name: `node-${index}`,
    labels: { 'kubernetes.io/hostname': `node-${index}`, 'topology.kubernetes.io/zone': `zone-${index % 3}` },
  },
  status: { allocatable: { cpu: '32', memory: '128Gi', pods: '110' } },
});

function newPod(index: number, workloads: number, shape: Shape): Pod {
  const app = `app-${index % workloads}`;
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: app, uid: app, controller: true };
  const resources = { requests: { cpu: '100m', memory: '128Mi' } };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `pod-${index}`,
      namespace: 'default',
      uid: `uid-${index}`,
      labels: { app },
      ownerReferences: [owner],
    },
    spec: {
      schedulerName: 'default-scheduler',
      priority: 0,
      containers: [{ name: 'main', image: 'example.com/main:1', resources }],
      ...shape.spec(app),
    },
  };
}

/** Answers every request with an empty object, and tells of bindings. */
class StandIn implements Transport {
  onBinding: (pod: string, node: string) => void = () => undefined;

  async send({ path, body }: TransportRequest): Promise<Awaited<ReturnType<Transport['send']>>> {
    const name = /\/pods\/([^/]+)\/binding$/.exec(path)?.[1];
    if (name !== undefined) {
      const { target } = JSON.parse(String(body)) as { target: { name: string } };
      setImmediate(() => this.onBinding(name, target.name));
    }
    return { status: 201, headers: {}, body: oneChunk(Buffer.from('{}')) };
  }
  async close(): Promise<void> {}
}

const oneChunk = (chunk: Buffer) => ({
  async *[Symbol.asyncIterator]() {
    yield chunk;
  },
  async dump() {},
});

async function measure(shape: Shape, nodes: number, pods: number, workloads: number): Promise<number> {
  const transport = new StandIn();
  const client = new RestClient(transport);
  const end = new AbortController();
  const recorder = new EventRecorder({ client, component: 'bench', api: 'events.k8s.io/v1', signal: end.signal });
  const scheduler = new Scheduler({ client, recorder, log: silentLogger, schedulerName: 'default-scheduler' });
  for (let index = 0; index < nodes; index++) scheduler.setNode(undefined, newNode(index));
  for (let index = 0; index < workloads; index++) {
    const app = `app-${index}`;
    scheduler.cluster.objects.replicaSets.set({
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: { name: app, namespace: 'default', uid: app },
      spec: { selector: { matchLabels: { app } } },
    });
  }
  const created = new Map<string, Pod>();
  const done = Promise.withResolvers<void>();
  let bound = 0;
  transport.onBinding = (name, node) => {
    const before = created.get(name);
    if (before === undefined) throw new Error(`unknown pod ${name}`);
    scheduler.updatePod(before, { ...before, spec: { ...before.spec, nodeName: node } });
    if (++bound === pods) done.resolve();
  };
  const running = scheduler.run();
  const start = performance.now();
  for (let index = 0; index < pods; index++) {
    const pod = newPod(index, workloads, shape);
    created.set(pod.metadata.name ?? '', pod);
    scheduler.addPod(pod);
  }
  await done.promise;
  const seconds = (performance.now() - start) / 1_000;
  end.abort();
  scheduler.stop();
  await running;
  return pods / seconds;
}

const parse = flags({
  nodes: { type: 'string', default: '1000' },
  pods: { type: 'string', default: '10000' },
  workloads: { type: 'string', default: '100' },
});

async function run({ nodes, pods, workloads }: ReturnType<typeof parse>): Promise<void> {
  for (const shape of shapes) {
    const rate = await measure(shape, Number(nodes), Number(pods), Number(workloads));
    console.log(`${shape.name.padEnd(16)} ${rate.toFixed(0)} pods/s`);
  }
}

await runCommand({ name: 'scheduler', usage, parse, run, failure: 1 });
