import type { Secret } from '@apichain/api/core/v1';
import { WorkQueue, objectKey } from '@apichain/client';
import { currentTime, type KubeObject, isStatusError } from '@apichain/meta';
import { type ControllerContext, type Running, newInformer, runQueue } from './context.ts';

const resource = { group: '', version: 'v1', resource: 'secrets', namespace: 'kube-system' };
const secretType = 'bootstrap.kubernetes.io/token';

/**
 * Deletes bootstrap tokens that have expired.
 * Source: https://kubernetes.io/docs/reference/access-authn-authz/bootstrap-tokens/
 */
export function tokenCleaner(context: ControllerContext): Running {
  const { client } = context;
  const queue = new WorkQueue();
  const enqueue = (secret: KubeObject) => queue.add(objectKey(secret));
  const tokens = newInformer(context, { resource, fieldSelector: `type=${secretType}` }).addHandlers({
    onAdd: enqueue,
    onUpdate: enqueue,
  });

  async function reconcile(key: string): Promise<void> {
    const secret = tokens.get(key);
    const at = secret === undefined ? undefined : expiration(secret);
    if (secret === undefined || at === undefined) return;
    const remaining = at - currentTime();
    if (remaining > 0) {
      queue.addAfter(key, remaining);
      return;
    }
    const { name = '', uid } = secret.metadata;
    await client.delete(resource, name, { preconditions: { uid } }).catch((error: unknown) => {
      if (!isStatusError(error, 'Conflict') && !isStatusError(error, 'NotFound')) throw error;
    });
  }

  return runQueue(context, { name: 'token-cleaner-controller', informers: [tokens], queue, workers: 1, reconcile });
}

/**
 * The expiration in milliseconds since 1970. Undefined for a token without expiration; a time in the past when the expiration is not a
 * valid time.
 */
export function expiration(secret: Secret): number | undefined {
  const encoded = secret.data?.expiration ?? '';
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  if (text === '') return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? 0 : at;
}
