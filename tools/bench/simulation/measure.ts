import { setTimeout as sleep } from 'node:timers/promises';
import type { Deployment } from '@apichain/api/apps/v1';
import type { Cluster, ProgramUse } from './cluster.ts';

/** The size of the cluster. */
export interface SimulationScale {
  readonly nodes: number;
  readonly pods: number;
  readonly deployments: number;
  /** How long nothing changes, in seconds. */
  readonly restSeconds: number;
}

/** One figure of one cluster. `program` is '' for all of them together. */
export interface Figure {
  readonly figure: string;
  readonly unit: string;
  readonly program: string;
  readonly value: number;
}

const namespace = 'bench';
const deployments = { group: 'apps', version: 'v1', resource: 'deployments', namespace } as const;
const nodesRef = { group: '', version: 'v1', resource: 'nodes' } as const;
const namespaces = { group: '', version: 'v1', resource: 'namespaces' } as const;
const accounts = { group: '', version: 'v1', resource: 'serviceaccounts', namespace } as const;

/** How often the state of the cluster is asked for, in milliseconds. */
const pollMs = 250;
const conditionTimeoutMs = 600_000;

/** Measures a started cluster: nodes are registered, Deployments created until their pods are Ready, and then nothing changes. */
export async function* measureSimulation(cluster: Cluster, scale: SimulationScale): AsyncGenerator<Figure> {
  const { nodes, pods, restSeconds } = scale;
  const registered = await until(cluster, 'nodes are registered', async () => (await countNodes(cluster)) === nodes);
  yield { figure: 'nodes registered', unit: '1/s', program: '', value: nodes / registered };
  await cluster.client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  await until(cluster, 'there is a ServiceAccount', async () => {
    const { items } = await cluster.client.list(accounts);
    return items.length > 0;
  });
  await settle(cluster, nodes);

  const before = cluster.uses();
  const revision = await revisionOf(cluster);
  const begun = performance.now();
  await createDeployments(cluster, scale);
  await until(cluster, 'pods are Ready', async () => (await countReady(cluster)) === pods);
  const seconds = (performance.now() - begun) / 1_000;
  yield { figure: 'pods Ready', unit: '1/s', program: '', value: pods / seconds };
  // Events and the last status updates are part of the price of a pod.
  await settle(cluster, nodes);
  yield* uses('processor time per pod', 'ms', before, cluster.uses(), pods);
  yield {
    figure: 'writes per pod, leases included',
    unit: '',
    program: '',
    value: ((await revisionOf(cluster)) - revision) / pods,
  };

  const atRest = cluster.uses();
  await sleep(restSeconds * 1_000);
  const after = cluster.uses();
  yield* uses('cores when nothing changes', '', atRest, after, restSeconds * 1_000);
  let sum = 0;
  for (const [program, { residentMiB }] of after) {
    sum += residentMiB;
    yield { figure: 'resident memory', unit: 'MiB', program, value: residentMiB };
  }
  yield { figure: 'resident memory', unit: 'MiB', program: '', value: sum };
}

function* uses(
  figure: string,
  unit: string,
  before: ReadonlyMap<string, ProgramUse>,
  after: ReadonlyMap<string, ProgramUse>,
  divisor: number,
): Generator<Figure> {
  let sum = 0;
  for (const [program, { processorMs }] of after) {
    const used = processorMs - (before.get(program)?.processorMs ?? 0);
    sum += used;
    yield { figure, unit, program, value: used / divisor };
  }
  yield { figure, unit, program: '', value: sum / divisor };
}

async function createDeployments(cluster: Cluster, { pods, deployments: count }: SimulationScale): Promise<void> {
  const resources = { requests: { cpu: '10m', memory: '16Mi' } };
  await Promise.all(
    Array.from({ length: count }, (_, index) => {
      const labels = { app: `app-${index}` };
      const replicas = Math.floor(pods / count) + (index < pods % count ? 1 : 0);
      const spec = { containers: [{ name: 'main', image: 'nginx:1.27', resources }] };
      return cluster.client.create<Deployment>(deployments, {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: `app-${index}`, namespace },
        spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
      });
    }),
  );
}

async function countReady(cluster: Cluster): Promise<number> {
  const { items } = await cluster.client.list<Deployment>(deployments, { resourceVersion: 0 });
  return items.reduce((sum, { status }) => sum + (status?.readyReplicas ?? 0), 0);
}

async function countNodes(cluster: Cluster): Promise<number> {
  const { items, metadata } = await cluster.client.list(nodesRef, { limit: 1 });
  return items.length + ((metadata as { remainingItemCount?: number }).remainingItemCount ?? 0);
}

/** The revision of the store, which grows by one with each write. */
async function revisionOf(cluster: Cluster): Promise<number> {
  const { metadata } = await cluster.client.list(namespaces, { limit: 1 });
  return Number(metadata.resourceVersion);
}

/** Waits until there are not many more writes than those of the leases, one in ten seconds for each node. */
async function settle(cluster: Cluster, nodes: number): Promise<void> {
  const windowMs = 3_000;
  let last = await revisionOf(cluster);
  await until(
    cluster,
    'the cluster is at rest',
    async () => {
      const before = last;
      last = await revisionOf(cluster);
      return last - before <= (nodes / 10_000) * windowMs * 1.3 + 10;
    },
    windowMs,
  );
}

/** Waits until a condition holds. Returns the seconds that it took. Throws Error when a program has ended, or after ten minutes. */
async function until(
  cluster: Cluster,
  what: string,
  condition: () => Promise<boolean>,
  everyMs = pollMs,
): Promise<number> {
  const begun = performance.now();
  do {
    cluster.check();
    if (performance.now() - begun > conditionTimeoutMs)
      throw new Error(`after ${conditionTimeoutMs / 60_000} minutes it is not so that ${what}`);
    await sleep(everyMs);
  } while (!(await condition()));
  return (performance.now() - begun) / 1_000;
}
