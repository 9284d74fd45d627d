import type { Node, Pod } from '@apichain/api/core/v1';
import type { ResourceReference, RestClient } from '@apichain/client';
import type { KubeObject } from '@apichain/meta';
import { setTimeout as sleep } from 'node:timers/promises';
import { Cluster } from '../../../libs/scheduler/src/cluster/cluster.ts';
import { PodInfo } from '../../../libs/scheduler/src/cluster/pod-info.ts';
import { SchedulingAlgorithm, totalScores } from '../../../libs/scheduler/src/framework/algorithm.ts';
import { Filters } from '../../../libs/scheduler/src/framework/filters.ts';
import { fitMessage } from '../../../libs/scheduler/src/framework/fit-error.ts';
import { defaultProfile } from '../../../libs/scheduler/src/framework/profile.ts';
import { dynamicResourcesMessage } from '../../../libs/scheduler/src/post-filter.ts';
import { findPreemption } from '../../../libs/scheduler/src/preemption/preemption.ts';
import { Nominator } from '../../../libs/scheduler/src/queue/nominator.ts';
import { Random } from '../../fuzz/random.ts';
import { randomNode, randomPod } from './random-objects.ts';

const namespace = 'default';
const nodeCount = 12;
const pollMs = 3;

const core = (resource: string, ofNamespace?: string): ResourceReference => ({
  group: '',
  version: 'v1',
  resource,
  ...(ofNamespace === undefined ? {} : { namespace: ofNamespace }),
});

const profile = defaultProfile({
  reserve: () => {
    throw new Error('there are no volumes');
  },
});

/** The outcome of a comparison. */
export interface Replayed {
  readonly same: number;
  readonly differences: readonly string[];
}

/**
 * Lets the running scheduler place random pods on random nodes, one after the other. Before each of its decisions, our algorithm is asked in the same state
 * of the cluster: the node must be one of those with our highest score, and a rejection must have our message. So one difference has no others in its wake.
 */
export async function replay(client: RestClient, seed: number, pods: number): Promise<Replayed> {
  const choices = new Random(seed);
  const cluster = await makeCluster(client, choices);
  const differences: string[] = [];
  for (let index = 0; index < pods; index++) {
    const created = await client.create<Pod>(core('pods', namespace), randomPod(`p${index}`, namespace, choices));
    const decided = await decision(client, created.metadata.name ?? '');
    const { nodeName, ...spec } = decided.spec ?? {};
    const before = new PodInfo({ ...decided, spec });
    const condition = decided.status?.conditions?.find(({ type }) => type === 'PodScheduled');
    const difference =
      nodeName === undefined
        ? compare(condition?.message ?? '', [rejectionOf(before, cluster)])
        : compare(nodeName, bestNodes(before, cluster));
    if (difference !== undefined)
      differences.push(`seed ${seed}, ${before.name}: ${difference}\n${JSON.stringify(spec)}`);
    if (nodeName === undefined) await client.delete(core('pods', namespace), before.name, { gracePeriodSeconds: 0 });
    else cluster.setPod(decided);
  }
  return { same: pods - differences.length, differences };
}

const compare = (theirs: string, ours: readonly string[]): string | undefined =>
  ours.includes(theirs) ? undefined : `kube-scheduler: ${theirs}, ours: ${ours.join(' or ')}`;

async function makeCluster(client: RestClient, choices: Random): Promise<Cluster> {
  const cluster = new Cluster();
  const { services, replicaSets } = cluster.objects;
  const create = async <Kind extends KubeObject>(resource: string, object: KubeObject, group = ''): Promise<Kind> =>
    (await client.create({ ...core(resource, object.metadata.namespace), group }, object)) as Kind;
  await create('serviceaccounts', {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'default', namespace },
  });
  for (let index = 0; index < nodeCount; index++)
    cluster.setNode(await create<Node>('nodes', randomNode(`n${index}`, choices)));
  for (const app of ['a', 'b'])
    services.set(
      await create('services', {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: app, namespace },
        spec: { selector: { app }, ports: [{ port: 80 }] },
      }),
    );
  const labels = { app: 'c' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'example.com/a:1' }] } };
  const replicaSet = {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name: 'c', namespace },
    spec: { replicas: 0, selector: { matchLabels: labels }, template },
  };
  replicaSets.set(await create('replicasets', replicaSet, 'apps'));
  return cluster;
}

/** The pod once it has a node or a reason why it has none. */
async function decision(client: RestClient, name: string): Promise<Pod> {
  for (;;) {
    const pod = await client.get<Pod>(core('pods', namespace), name);
    const condition = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled');
    if (pod.spec?.nodeName !== undefined || condition?.message !== undefined) return pod;
    await sleep(pollMs);
  }
}

/** The nodes among which we would choose by chance. */
function bestNodes(pod: PodInfo, cluster: Cluster): readonly string[] {
  const filters = Filters.prepare(profile.plugins, pod, cluster);
  if (!(filters instanceof Filters)) return filters.reasons;
  const fitting = cluster.nodes.filter((node) => filters.check(node) === undefined);
  const scores = totalScores(profile, pod, fitting, cluster);
  const max = Math.max(...scores);
  return fitting.filter((_, index) => scores[index] === max).map(({ name }) => name);
}

/** Our message for a pod that fits no node. */
function rejectionOf(pod: PodInfo, cluster: Cluster): string {
  const nominated = new Nominator();
  const decided = new SchedulingAlgorithm(profile, cluster, nominated).decide(pod);
  if ('node' in decided) return decided.node;
  const { diagnosis, filters, rejection } = decided;
  const outcome = findPreemption(pod, diagnosis, filters, cluster, nominated);
  if ('candidate' in outcome) return `preemption on ${outcome.candidate.node}`;
  return fitMessage(
    diagnosis,
    `${dynamicResourcesMessage(profile, pod, rejection).message}, preemption: ${outcome.message}`,
  );
}
