import { currentTime } from '@apichain/meta';
import { ensure, find, type BootstrapContext } from './context.ts';

const ref = { group: '', version: 'v1', resource: 'configmaps', namespace: 'kube-system' };
const name = 'kube-apiserver-legacy-service-account-token-tracking';
const datePattern = /^\d{4}-\d{2}-\d{2}$/;

/**
 * Maintains the ConfigMap with the date since which the use of token Secrets is recorded. A date that is invalid or in the future is corrected.
 * https://kubernetes.io/docs/reference/access-authn-authz/service-accounts-admin/#auto-generated-legacy-serviceaccount-token-tracking-controller
 */
export async function trackLegacyTokens({ client }: BootstrapContext): Promise<void> {
  const today = new Date(currentTime()).toISOString().slice(0, 10);
  const present = await find(client, ref, name);
  if (present === undefined) {
    const object = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace: ref.namespace },
      data: { since: today },
    };
    await ensure(client, ref, object);
    return;
  }
  const { since } = (present.data ?? {}) as { readonly since?: string };
  if (since !== undefined && datePattern.test(since) && !Number.isNaN(Date.parse(since)) && since <= today) return;
  await client.update(ref, { ...present, data: { ...(present.data as object | undefined), since: today } });
}
