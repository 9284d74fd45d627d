import type { RequestContext } from '@apichain/request';
import type { Authorizer } from '@apichain/authz';
import { newForbidden } from '@apichain/meta';

/**
 * A stream into a pod needs the verb `create`, also when it starts with the GET of a WebSocket. Otherwise users with only `get` on pods/exec could
 * run commands. Throws Forbidden with the reason of the authorizer.
 * https://kubernetes.io/docs/reference/access-authn-authz/rbac/ (gate AuthorizePodWebsocketUpgradeCreatePermission)
 */
export async function checkStreamAuthority(authorizer: Authorizer, ctx: RequestContext): Promise<void> {
  const { requestInfo, user } = ctx;
  if (requestInfo.verb === 'create') return;
  const { decision, reason } = await authorizer.authorize({ ...requestInfo, user, verb: 'create' });
  if (decision === 'Allow') return;
  throw newForbidden({ group: requestInfo.apiGroup, resource: requestInfo.resource }, requestInfo.name, reason);
}
