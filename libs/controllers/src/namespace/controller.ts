import type { Namespace } from '@apichain/api/core/v1';
import { errorText, objectKey } from '@apichain/client';
import { type KubeObject, isStatusError } from '@apichain/meta';
import { type ControllerContext, type Running, namespacesOf as resource } from '../context.ts';
import { controllerParts } from '../controller-parts.ts';
import { type DeletionFindings, updatedConditions } from './conditions.ts';
import { deleteContent } from './content.ts';

const finalizer = 'kubernetes';
/** Every API server has to observe the deletion, and objects that were being created have to become visible. */
const deletionDelayMs = 500;
const firstRetryMs = 250;

/**
 * Empties terminating namespaces, reports problems in their conditions, and removes the finalizer `kubernetes` when nothing is left.
 * Source: https://kubernetes.io/docs/concepts/overview/working-with-objects/namespaces/
 */
export function namespaceLifecycle(context: ControllerContext): Running {
  const { client, discovery } = context;
  const { queue, informer, run } = controllerParts(context, 'namespace-controller');
  /** The number of passes that found remaining content, by namespace. */
  const attempts = new Map<string, number>();
  const enqueue = (namespace: KubeObject) => {
    if (isEmptied(namespace)) queue.addAfter(objectKey(namespace), deletionDelayMs, 'retry');
  };
  informer(resource).addHandlers({
    onAdd: enqueue,
    onUpdate: enqueue,
    onDelete: (namespace) => attempts.delete(objectKey(namespace)),
  });

  async function reconcile(name: string): Promise<void> {
    try {
      const namespace = await client.get(resource, name);
      if (isEmptied(namespace)) await empty(namespace);
    } catch (error) {
      if (!isStatusError(error) || error.code !== 404) throw error;
    }
  }

  async function empty(namespace: KubeObject): Promise<void> {
    const { name = '', deletionTimestamp = '' } = namespace.metadata;
    const pass = await deleteContent(client, discovery, name, Date.parse(deletionTimestamp));
    const updated = await saveFindings(namespace, pass.findings);
    const { contentErrors, discoveryErrors, remaining } = pass.findings;
    const errors = [...discoveryErrors, ...contentErrors];
    if (errors.length > 0) throw new Error(errors.map(errorText).join('; '));
    if (remaining.length > 0) retryLater(name, pass.estimateSeconds);
    else await finalize(updated);
  }

  /** The first retries come quickly, because most finalizers are removed within moments. */
  function retryLater(name: string, estimateSeconds: number): void {
    const attempt = attempts.get(name) ?? 0;
    attempts.set(name, attempt + 1);
    const longest = (Math.floor(estimateSeconds / 2) + 1) * 1000;
    queue.addAfter(name, Math.min(longest, firstRetryMs * 2 ** Math.min(attempt, 20)), 'retry');
  }

  async function saveFindings(namespace: Namespace, findings: DeletionFindings): Promise<KubeObject> {
    const { status } = namespace;
    const conditions = updatedConditions(status?.conditions ?? [], findings);
    if (conditions === undefined && status?.phase === 'Terminating') return namespace;
    const changed = { ...namespace, status: { ...status, phase: 'Terminating', ...(conditions && { conditions }) } };
    return client.update(resource, changed, { subresource: 'status' });
  }

  async function finalize(namespace: Namespace): Promise<void> {
    const { spec } = namespace;
    const finalizers = (spec?.finalizers ?? []).filter((each) => each !== finalizer);
    await client.update(resource, { ...namespace, spec: { ...spec, finalizers } }, { subresource: 'finalize' });
  }

  return run(reconcile);
}

/** Whether a namespace is being deleted and waits for this controller. */
function isEmptied(namespace: Namespace): boolean {
  const { spec } = namespace;
  return namespace.metadata.deletionTimestamp !== undefined && spec?.finalizers?.includes(finalizer) === true;
}
