import { Informer, type KubeObject, runWorkers, type RestClient, WorkQueue } from '@apichain/client/library';
import { type Tenant, tenants } from './tenant.ts';

const applied = { query: { fieldManager: 'tenant-controller', force: true } };
const ofStatus = { subresource: 'status' };
const core = { group: '', version: 'v1' };
const namespaces = { ...core, resource: 'namespaces' };
const rbac = 'rbac.authorization.k8s.io';

/** Makes a namespace, a quota and a RoleBinding for every Tenant, until the returned function is called. Resolves when it has begun. */
export async function startTenantController(
  client: RestClient,
  report: (text: string) => void,
): Promise<() => Promise<void>> {
  const queue = new WorkQueue();
  const onError = (error: unknown) => report(String(error));
  // A tenant, its namespace and what is in the namespace have the same key: the name of the tenant.
  const enqueue = ({ metadata }: KubeObject) => queue.add(metadata.namespace ?? metadata.name ?? '');
  const handlers = { onAdd: enqueue, onUpdate: enqueue, onDelete: enqueue };
  const cache = new Informer({ client, resource: tenants, onError }).addHandlers(handlers).start();
  const others = [namespaces, { ...core, resource: 'configmaps' }].map((resource) =>
    new Informer({ client, resource, onError }).addHandlers(handlers).start(),
  );
  await cache.waitForSync();

  async function reconcile(name: string): Promise<void> {
    const tenant = cache.get(name);
    // Of a tenant that is gone, the garbage collector deletes the namespace, and the namespace controller what is in it.
    if (tenant === undefined || tenant.metadata.deletionTimestamp !== undefined) return;
    const { apiVersion, kind, metadata, spec } = tenant;
    const ownerReferences = [{ apiVersion, kind, name, uid: metadata.uid, controller: true }];
    await client.patch(namespaces, name, 'apply', object('v1', 'Namespace', name, { ownerReferences }), applied);
    await limit(client, name, { 'count/configmaps': String(spec.configMaps) });
    const roleRef = { apiGroup: rbac, kind: 'ClusterRole', name: 'admin' };
    const subjects = [{ apiGroup: rbac, kind: 'User', name: spec.owner }];
    const binding = { ...object(`${rbac}/v1`, 'RoleBinding', 'owner'), roleRef, subjects };
    const bindings = { group: rbac, version: 'v1', resource: 'rolebindings', namespace: name };
    await client.patch(bindings, 'owner', 'apply', binding, applied);
    const status: Tenant['status'] = { observedGeneration: metadata.generation ?? 0 };
    await client.patch(tenants, name, 'merge', { status }, ofStatus);
  }

  const working = runWorkers(queue, 2, reconcile, (name, error) => report(`tenant ${name}: ${String(error)}`));
  return async () => {
    queue.shutDown();
    await working;
    for (const informer of [cache, ...others]) await informer.stop();
  };
}

/** Limits the ConfigMaps of a namespace. Admission counts new ones in the status of the quota; this counts them anew when some are gone. */
async function limit(client: RestClient, namespace: string, hard: Record<string, string>): Promise<void> {
  const quotas = { ...core, resource: 'resourcequotas', namespace };
  const wanted = { ...object('v1', 'ResourceQuota', 'tenant'), spec: { hard } };
  const { metadata } = await client.patch(quotas, 'tenant', 'apply', wanted, applied);
  const { items } = await client.list({ ...core, resource: 'configmaps', namespace });
  const status = { hard, used: { 'count/configmaps': String(items.length) } };
  // Fails with a Conflict, and is then repeated, if admission has counted in the meantime.
  const { resourceVersion } = metadata;
  await client.patch(quotas, 'tenant', 'merge', { metadata: { resourceVersion }, status }, ofStatus);
}

const object = (apiVersion: string, kind: string, name: string, metadata: object = {}) => ({
  apiVersion,
  kind,
  metadata: { name, ...metadata },
});
