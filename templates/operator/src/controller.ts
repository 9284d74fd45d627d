import { Informer, isStatusError, objectKey, runWorkers, WorkQueue, type RestClient } from 'apichain/client';
import { widgetResource, type WidgetStatus } from './resources/widget.ts';

const configMaps = { group: '', version: 'v1', resource: 'configmaps' };
const fieldManager = 'my-project';

/** Keeps a ConfigMap for every Widget until the returned function is called. Resolves when it knows all Widgets. */
export async function startController(
  client: RestClient,
  report: (text: string) => void,
): Promise<() => Promise<void>> {
  const queue = new WorkQueue();
  const onError = (error: unknown) => report(String(error));
  // A Widget and its ConfigMap have the same namespace and name, and so the same key.
  const enqueue = (object: Parameters<typeof objectKey>[0]) => queue.add(objectKey(object));
  const handlers = { onAdd: enqueue, onUpdate: enqueue, onDelete: enqueue };
  const owners = new Informer({ client, resource: widgetResource, onError }).addHandlers(handlers).start();
  const owned = new Informer({ client, resource: configMaps, onError }).addHandlers(handlers).start();
  await Promise.all([owners.waitForSync(), owned.waitForSync()]);

  /** Brings the ConfigMap to what the Widget says. May be called at any time and any number of times. */
  async function reconcile(key: string): Promise<void> {
    const owner = owners.get(key);
    // The garbage collector deletes the ConfigMap of a Widget that is gone.
    if (owner === undefined || owner.metadata.deletionTimestamp !== undefined) return;
    const { apiVersion, kind, metadata, spec } = owner;
    const { namespace = '', name = '', uid = '', generation = 0 } = metadata;
    const configMap = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, ownerReferences: [{ apiVersion, kind, name, uid, controller: true }] },
      data: { text: spec.text },
    };
    const applied = { query: { fieldManager, force: true } };
    await client.patch({ ...configMaps, namespace }, name, 'apply', configMap, applied);
    const status: WidgetStatus = { ready: true, observedGeneration: generation };
    await client
      .patch({ ...widgetResource, namespace }, name, 'merge', { status }, { subresource: 'status' })
      .catch((error: unknown) => {
        // It was deleted in the meantime.
        if (!isStatusError(error, 'NotFound')) throw error;
      });
  }

  const working = runWorkers(queue, 2, reconcile, (key, error) => report(`${key}: ${String(error)}`));
  return async () => {
    queue.shutDown();
    await working;
    await Promise.all([owners.stop(), owned.stop()]);
  };
}
