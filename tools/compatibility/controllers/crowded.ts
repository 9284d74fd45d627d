import { type Cluster, nameOf } from './cluster.ts';
import { configMap, type TypedObject, workload } from './objects.ts';

/** The objects of a crowded namespace: config maps, secrets, and a Deployment with its ReplicaSet and pods. */
export const crowdedObjects = 220;
const replicas = 10;

const at = (namespace: string, resource: string, group = '/api/v1') => `${group}/namespaces/${namespace}/${resource}`;

/** Creates a namespace with `crowdedObjects` objects, and waits until its pods run. */
export async function createCrowded(cluster: Cluster, namespace: string): Promise<void> {
  await cluster.createNamespace(namespace);
  const half = Array.from({ length: (crowdedObjects - 2 * replicas) / 2 }, (_, index) => index);
  const secret = (index: number) =>
    ({ apiVersion: 'v1', kind: 'Secret', metadata: { name: `secret-${index}` } }) satisfies TypedObject;
  const objects = [
    workload('Deployment', 'web', { replicas }),
    ...half.map((index) => configMap(`map-${index}`)),
    ...half.map(secret),
  ];
  await cluster.apply(objects, namespace);
  await cluster.until(
    at(namespace, 'deployments/web', '/apis/apps/v1'),
    ({ status }) => status?.['availableReplicas'] === replicas,
  );
}

/** The objects of a crowded namespace that are left, by `resource/name`. */
export async function leftIn(cluster: Cluster, namespace: string): Promise<string[]> {
  const resources = ['pods', 'configmaps', 'secrets'];
  const lists = await Promise.all(resources.map((resource) => cluster.list(at(namespace, resource))));
  return lists.flatMap((list, index) => list.map((object) => `${resources[index]}/${nameOf(object)}`));
}
