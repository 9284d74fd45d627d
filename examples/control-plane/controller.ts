import { controller, kinds, type RestClient } from '@apichain/client/library';
import { Tenant } from './tenant.ts';

const rbac = 'rbac.authorization.k8s.io';

/**
 * Makes a namespace, a quota and a RoleBinding for every Tenant. Of a tenant that is gone, the garbage collector deletes the namespace, and the namespace controller
 * what is in it.
 */
export const tenantController = controller({
  for: Tenant,
  owns: [kinds.Namespace],
  // The namespace of a tenant has its name.
  watches: [{ source: kinds.ConfigMap, map: ({ metadata }) => [{ namespace: '', name: metadata.namespace ?? '' }] }],
}).reconcile(async ({ object, apply, apiReader, updateStatus }) => {
  const { name, generation = 0 } = object.metadata;
  const metadata = { name: 'tenant', namespace: name };
  const hard = { 'count/configmaps': String(object.spec.configMaps) };
  await apply(kinds.Namespace, { metadata: { name } });
  const quota = await apply(kinds.ResourceQuota, { metadata, spec: { hard } });
  // Admission counts new ConfigMaps in the status of the quota; this counts them anew when some are gone. Fails with a Conflict, and is then repeated, if
  // admission has counted in the meantime.
  const status = { hard, used: { 'count/configmaps': await countConfigMaps(apiReader, name) } };
  await apiReader.update({ ...kinds.ResourceQuota, namespace: name }, { ...quota, status }, { subresource: 'status' });
  await apply(kinds.RoleBinding, {
    metadata: { name: 'owner', namespace: name },
    roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'admin' },
    subjects: [{ apiGroup: rbac, kind: 'User', name: object.spec.owner }],
  });
  await updateStatus({ observedGeneration: generation });
});

async function countConfigMaps(client: RestClient, namespace: string): Promise<string> {
  const { items } = await client.list({ ...kinds.ConfigMap, namespace });
  return String(items.length);
}
