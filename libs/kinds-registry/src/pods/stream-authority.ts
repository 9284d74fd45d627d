import type { RequestContext } from '@apichain/request';
import type { Authorizer } from '@apichain/authz';
import { newForbidden } from '@apichain/meta';

/**
 * A stream into a pod is something created, also where it begins with the GET of a WebSocket: who may only `get` pods/exec would
 * otherwise run commands. Throws Forbidden in the authorizer's words, which are few.
 * https://kubernetes.io/docs/reference/access-authn-authz/rbac/ (gate AuthorizePodWebsocketUpgradeCreatePermission)
 */
export async function checkStreamAuthority(authorizer: Authorizer, ctx: RequestContext): Promise<void> {
  const { requestInfo, user } = ctx;
  if (requestInfo.verb === 'create') return;
  const { decision, reason } = await authorizer.authorize({ ...requestInfo, user, verb: 'create' });
  if (decision === 'Allow') return;
  throw newForbidden({ group: requestInfo.apiGroup, resource: requestInfo.resource }, requestInfo.name, reason);
}
