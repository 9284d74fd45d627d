import { WorkQueue, objectKey } from '@apichain/client';
import { isStatusError } from '@apichain/meta';
import { type ControllerContext, type Running, isActive, isNamespaceGoing, newInformer, runQueue } from './context.ts';

const resource = { group: '', version: 'v1', resource: 'serviceaccounts' };

/**
 * Maintains a ServiceAccount `default` in every active namespace.
 * Source: https://kubernetes.io/docs/reference/access-authn-authz/service-accounts-admin/#serviceaccount-controller
 */
export function serviceAccounts(context: ControllerContext): Running {
  const { client, namespaces } = context;
  const queue = new WorkQueue();
  const accounts = newInformer(context, { resource, fieldSelector: 'metadata.name=default', metadataOnly: true });
  accounts.addHandlers({ onDelete: ({ metadata }) => queue.add(metadata.namespace ?? '') });
  namespaces.addHandlers({
    onAdd: (namespace) => queue.add(objectKey(namespace)),
    onUpdate: (namespace) => queue.add(objectKey(namespace)),
  });

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

  return runQueue(context, {
    name: 'serviceaccount-controller',
    informers: [namespaces, accounts],
    queue,
    workers: context.concurrency.serviceAccount,
    reconcile,
  });
}
