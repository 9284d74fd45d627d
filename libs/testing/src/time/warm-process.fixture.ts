import { httpTransport, loadKubeconfig, RestClient } from '@apichain/client';
import { startChain } from '../start-chain.ts';

const namespace = 'default';
const deployments = { group: 'apps', version: 'v1', resource: 'deployments', namespace };
const configMaps = { group: '', version: 'v1', resource: 'configmaps', namespace };
/** What a rollout writes. */
const written = [
  deployments,
  { ...deployments, resource: 'replicasets' },
  { ...configMaps, resource: 'pods' },
  { ...configMaps, resource: 'events' },
  { ...configMaps, resource: 'nodes', namespace: '' },
];

/** All writes of a rollout with a seed, in order: what has been written last for each object, counted from the beginning of the rollout. */
async function writesOfRollout(seed: number): Promise<string[]> {
  await using chain = await startChain({ workloads: true, seed });
  const client = new RestClient(httpTransport(loadKubeconfig(chain.kubeconfigFile)));
  try {
    const { metadata } = await client.create(configMaps, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'beginning' },
    });
    const labels = { app: 'web' };
    await client.create(deployments, {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web' },
      spec: {
        replicas: 3,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web' }] } },
      },
    });
    await chain.workloads.ready('deployment/web');
    const lists = await Promise.all(written.map((resource) => client.list(resource)));
    return lists
      .flatMap(({ items, kind }) => items.map(({ metadata: object }) => ({ kind, object })))
      .map(({ kind, object }) => ({
        after: Number(object.resourceVersion) - Number(metadata.resourceVersion),
        kind,
        object,
      }))
      .filter(({ after }) => after > 0)
      .sort((a, b) => a.after - b.after)
      .map(({ after, kind, object }) => `${after} ${kind} ${object.name} ${object.uid} ${object.creationTimestamp}`);
  } finally {
    await client.close();
  }
}

/* Run as a program: the writes with the seeds among the arguments, one after the other, in a process that has started no chain before. */
if (import.meta.main) {
  const runs: string[][] = [];
  for (const seed of process.argv.slice(2)) runs.push(await writesOfRollout(Number(seed)));
  process.stdout.write(`${JSON.stringify(runs)}\n`);
}
