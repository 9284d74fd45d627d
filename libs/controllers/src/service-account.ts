import { isStatusError, isNamespaceGoing } from '@apichain/meta';
import { type ControllerContext, type Running, isActive, namespacesOf } from './context.ts';
import { controllerParts } from './controller-parts.ts';

const resource = { group: '', version: 'v1', resource: 'serviceaccounts' };

/**
 * Maintains a ServiceAccount `default` in every active namespace.
 * Source: https://kubernetes.io/docs/reference/access-authn-authz/service-accounts-admin/#serviceaccount-controller
 */
export function serviceAccounts(context: ControllerContext): Running {
  const { client } = context;
  const { queue, enqueue, informer, metadataInformer, run } = controllerParts(context, 'serviceaccount-controller');
  const namespaces = informer(namespacesOf);
  const accounts = metadataInformer(resource);
  accounts.addHandlers({
    onDelete: ({ metadata: { name, namespace = '' } }) => {
      if (name === 'default') queue.add(namespace);
    },
  });
  namespaces.addHandlers({ onAdd: enqueue, onUpdate: enqueue });

  async function reconcile(namespace: string): Promise<void> {
    if (!isActive(namespaces.get(namespace)) || accounts.get(`${namespace}/default`) !== undefined) return;
    try {
      await client.create(
        { ...resource, namespace },
        { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace } },
      );
    } catch (error) {
      if (!isStatusError(error, 'AlreadyExists') && !isNamespaceGoing(error)) throw error;
    }
  }

  return run(reconcile);
}
