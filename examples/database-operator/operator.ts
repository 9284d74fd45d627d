import { Informer, objectKey, runWorkers, WorkQueue, type KubeObject, type RestClient } from 'apichain/client';

interface Database extends KubeObject {
  readonly spec: { readonly version: string; readonly replicas: number };
}
const databases = { group: 'example.com', version: 'v1', resource: 'databases' };
const statefulSets = { group: 'apps', version: 'v1', resource: 'statefulsets' };

/** Keeps a StatefulSet for every Database, and says in its status how it is. Runs until the returned function is called. */
export async function startOperator(client: RestClient): Promise<() => Promise<void>> {
  const queue = new WorkQueue();
  // A Database and its StatefulSet have the same namespace and name, and so the same key.
  const enqueue = (object: KubeObject) => queue.add(objectKey(object));
  const handlers = { onAdd: enqueue, onUpdate: enqueue, onDelete: enqueue };
  const owners = new Informer<Database>({ client, resource: databases }).addHandlers(handlers).start();
  const owned = new Informer({ client, resource: statefulSets }).addHandlers(handlers).start();
  await Promise.all([owners.waitForSync(), owned.waitForSync()]);

  async function reconcile(key: string): Promise<void> {
    const database = owners.get(key);
    if (database === undefined || database.metadata.deletionTimestamp !== undefined) return;
    const { namespace = '', name = '', generation = 0 } = database.metadata;
    const applied = await client.patch({ ...statefulSets, namespace }, name, 'apply', statefulSetOf(database), {
      query: { fieldManager: 'database-operator', force: true },
    });
    const status = { conditions: [readyCondition(applied, database)], observedGeneration: generation };
    await client.patch({ ...databases, namespace }, name, 'merge', { status }, { subresource: 'status' });
  }

  const working = runWorkers(queue, 2, reconcile, () => undefined);
  return async () => {
    queue.shutDown();
    await working;
    await Promise.all([owners.stop(), owned.stop()]);
  };
}

function statefulSetOf({ apiVersion, kind, metadata, spec }: Database): KubeObject {
  const { name = '', namespace = '', uid = '', annotations = {} } = metadata;
  const labels = { database: name };
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name, namespace, ownerReferences: [{ apiVersion, kind, name, uid, controller: true }] },
    spec: {
      replicas: spec.replicas,
      serviceName: name,
      selector: { matchLabels: labels },
      template: {
        // Annotations of the Database are those of its pods: a test says with them what happens to the pods.
        metadata: { labels, annotations },
        spec: { containers: [{ name: 'database', image: `database:${spec.version}` }] },
      },
    },
  };
}

/** Ready when all pods have the version of the Database and are ready. */
function readyCondition({ metadata, status }: KubeObject, { spec }: Database) {
  const { observedGeneration, updatedReplicas = 0, readyReplicas = 0 } = (status ?? {}) as Record<string, number>;
  const isReady =
    observedGeneration === metadata.generation && updatedReplicas === spec.replicas && readyReplicas === spec.replicas;
  return {
    type: 'Ready',
    status: isReady ? 'True' : 'False',
    reason: isReady ? 'AllReady' : 'Progressing',
    message: `${updatedReplicas} of ${spec.replicas} replicas have version ${spec.version}, ${readyReplicas} are ready`,
  };
}
