import { goQuote } from '@apichain/go-text';
import { newForbidden, type StatusError } from '@apichain/meta';
import type { AuthorizationAttributes } from '@apichain/authz';
import type { RequestContext } from '@apichain/request';
import { sanitizeHtml } from '@apichain/request';

/** The attributes of the request for the authorizer. */
export function attributesOf({
  requestInfo: info,
  user,
}: Pick<RequestContext, 'requestInfo' | 'user'>): AuthorizationAttributes {
  return {
    user,
    verb: info.verb,
    isResourceRequest: info.isResourceRequest,
    path: info.path,
    apiGroup: info.apiGroup,
    apiVersion: info.apiVersion,
    resource: info.resource,
    subresource: info.subresource,
    namespace: info.namespace,
    name: info.name,
    fieldSelector: info.fieldSelector,
    labelSelector: info.labelSelector,
  };
}

/** The 403 of a refused request. Its message names the user, the verb, the resource and the scope. */
export function forbidden(attributes: AuthorizationAttributes, reason: string): StatusError {
  const message = sanitizeHtml(forbiddenMessage(attributes));
  const resource = { group: attributes.apiGroup, resource: attributes.resource };
  return newForbidden(resource, attributes.name, reason === '' ? message : `${message}: ${reason}`);
}

function forbiddenMessage(attributes: AuthorizationAttributes): string {
  const who = `User ${goQuote(attributes.user.name)} cannot ${attributes.verb}`;
  if (!attributes.isResourceRequest) return `${who} path ${goQuote(attributes.path)}`;
  const resource =
    attributes.subresource === '' ? attributes.resource : `${attributes.resource}/${attributes.subresource}`;
  const what = `${who} resource ${goQuote(resource)} in API group ${goQuote(attributes.apiGroup)}`;
  return attributes.namespace === ''
    ? `${what} at the cluster scope`
    : `${what} in the namespace ${goQuote(attributes.namespace)}`;
}
