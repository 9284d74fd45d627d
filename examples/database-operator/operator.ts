import { controller, kinds, setStatusCondition } from 'apichain/client';
import { Database } from './database.ts';

/** Keeps a StatefulSet for every Database, and says in its status how it is. */
export const databaseController = controller({ for: Database, owns: [kinds.StatefulSet] }).reconcile(
  async ({ object, apply, updateStatus }) => {
    const { name, generation, annotations = {} } = object.metadata;
    const { version, replicas = 3 } = object.spec;
    const labels = { database: name };
    const { metadata, status = {} } = await apply(kinds.StatefulSet, {
      metadata: { name },
      spec: {
        replicas,
        serviceName: name,
        selector: { matchLabels: labels },
        template: {
          // Annotations of the Database are those of its pods: a test says with them what happens to the pods.
          metadata: { labels, annotations },
          spec: { containers: [{ name: 'database', image: `database:${version}` }] },
        },
      },
    });
    const { updatedReplicas = 0, readyReplicas = 0 } = status;
    const isCurrent = status.observedGeneration === metadata.generation;
    const isReady = isCurrent && updatedReplicas === replicas && readyReplicas === replicas;
    const conditions = setStatusCondition(object, {
      type: 'Ready',
      status: isReady,
      reason: isReady ? 'AllReady' : 'Progressing',
      message: `${updatedReplicas} of ${replicas} replicas have version ${version}, ${readyReplicas} are ready`,
    });
    await updateStatus({ conditions, observedGeneration: generation });
  },
);
