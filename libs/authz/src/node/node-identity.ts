import type { UserInfo } from '@apichain/authn';

const userPrefix = 'system:node:';

/**
 * The node of a kubelet. `''` = a kubelet that does not name its node; undefined = the user is not a kubelet.
 * https://kubernetes.io/docs/reference/access-authn-authz/node/
 */
export function nodeOf({ name, groups }: UserInfo): string | undefined {
  return name.startsWith(userPrefix) && groups.includes('system:nodes') ? name.slice(userPrefix.length) : undefined;
}
