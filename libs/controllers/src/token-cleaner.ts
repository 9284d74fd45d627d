import type { Secret } from '@apichain/api/core/v1';
import { currentTime, isStatusError } from '@apichain/meta';
import type { ControllerContext, Running } from './context.ts';
import { controllerParts } from './controller-parts.ts';

const resource = { group: '', version: 'v1', resource: 'secrets', namespace: 'kube-system' };
const secretType = 'bootstrap.kubernetes.io/token';

/**
 * Deletes bootstrap tokens that have expired.
 * Source: https://kubernetes.io/docs/reference/access-authn-authz/bootstrap-tokens/
 */
export function tokenCleaner(context: ControllerContext): Running {
  const { client } = context;
  const { queue, enqueue, ownInformer, run } = controllerParts(context, 'token-cleaner-controller');
  const tokens = ownInformer({ resource, fieldSelector: `type=${secretType}` });
  tokens.addHandlers({ onAdd: enqueue, onUpdate: enqueue });

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

  return run(reconcile);
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
