import { Informer, isStatusError, runWorkers, WorkQueue, type KubeObject, type RestClient } from 'apichain/client';
import { widgetResource, type WidgetStatus } from './resources/widget.ts';

const rbac = 'rbac.authorization.k8s.io';
const namespaces = { group: '', version: 'v1', resource: 'namespaces' };
const roleBindings = { group: rbac, version: 'v1', resource: 'rolebindings' };
const applied = { query: { fieldManager: 'my-project', force: true } };

/** Keeps a namespace for every Widget until the returned function is called. Resolves when it knows all Widgets. */
export async function startController(
  client: RestClient,
  report: (text: string) => void,
): Promise<() => Promise<void>> {
  const queue = new WorkQueue();
  const onError = (error: unknown) => report(String(error));
  // A Widget and its namespace have the same name, which is the key of both.
  const enqueue = ({ metadata }: KubeObject) => queue.add(metadata.name ?? '');
  const handlers = { onAdd: enqueue, onUpdate: enqueue, onDelete: enqueue };
  const owners = new Informer({ client, resource: widgetResource, onError }).addHandlers(handlers).start();
  const owned = new Informer({ client, resource: namespaces, onError }).addHandlers(handlers).start();
  await Promise.all([owners.waitForSync(), owned.waitForSync()]);

  /** Brings the namespace to what the Widget says. May be called at any time and any number of times. */
  async function reconcile(name: string): Promise<void> {
    const owner = owners.get(name);
    // The garbage collector deletes the namespace of a Widget that is gone, and the namespace controller what is in it.
    if (owner === undefined || owner.metadata.deletionTimestamp !== undefined) return;
    const { apiVersion, kind, metadata, spec } = owner;
    const ownerReferences = [{ apiVersion, kind, name, uid: metadata.uid ?? '', controller: true }];
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name, ownerReferences } };
    await client.patch(namespaces, name, 'apply', namespace, applied);
    const roleBinding = {
      apiVersion: `${rbac}/v1`,
      kind: 'RoleBinding',
      metadata: { name: 'owner' },
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'admin' },
      subjects: [{ apiGroup: rbac, kind: 'User', name: spec.owner }],
    };
    await client.patch({ ...roleBindings, namespace: name }, 'owner', 'apply', roleBinding, applied);
    const status: WidgetStatus = { ready: true, observedGeneration: metadata.generation ?? 0 };
    await client.patch(widgetResource, name, 'merge', { status }, { subresource: 'status' }).catch((error: unknown) => {
      // It was deleted in the meantime.
      if (!isStatusError(error, 'NotFound')) throw error;
    });
  }

  const working = runWorkers(queue, 2, reconcile, (name, error) => report(`${name}: ${String(error)}`));
  return async () => {
    queue.shutDown();
    await working;
    await Promise.all([owners.stop(), owned.stop()]);
  };
}
