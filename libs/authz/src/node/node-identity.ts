import type { UserInfo } from '@apichain/authn';

const userPrefix = 'system:node:';

/**
 * The node whose kubelet this is; `''` = a kubelet that does not say which; undefined = no kubelet.
 * https://kubernetes.io/docs/reference/access-authn-authz/node/
 */
export function nodeOf({ name, groups }: UserInfo): string | undefined {
  return name.startsWith(userPrefix) && groups.includes('system:nodes') ? name.slice(userPrefix.length) : undefined;
}
