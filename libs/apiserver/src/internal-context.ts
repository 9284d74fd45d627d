import type { GroupVersionResource } from '@apichain/meta';
import { noQuery } from '@apichain/request';
import type { RequestContext } from '@apichain/request';

/** The context of a request that the server sends to itself. Such requests bypass the filters. */
export function internalContext(
  resource: GroupVersionResource,
  options: { namespace?: string; name?: string; verb: string; signal: AbortSignal },
): RequestContext {
  const { namespace = '', name = '', verb, signal } = options;
  return {
    requestInfo: {
      isResourceRequest: true,
      path: '',
      verb,
      apiPrefix: resource.group === '' ? 'api' : 'apis',
      apiGroup: resource.group,
      apiVersion: resource.version,
      namespace,
      resource: resource.resource,
      subresource: '',
      name,
      parts: name === '' ? [resource.resource] : [resource.resource, name],
      fieldSelector: '',
      labelSelector: '',
    },
    query: noQuery,
    user: { name: 'system:apiserver', uid: '', groups: ['system:masters'], extra: {} },
    signal,
    userAgent: 'kube-apiserver',
    warn: () => undefined,
  };
}
