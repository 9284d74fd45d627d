import { newReadOnly } from '@apichain/meta';
import { scopeOf, writeStatusError, type Filter, type RequestInfo } from '@apichain/request';

const reads: ReadonlySet<string> = new Set(['get', 'list', 'watch']);
/** Subresources that are read from a kubelet, a pod or a service, not from the store. */
const elsewhere: ReadonlySet<string> = new Set(['attach', 'exec', 'log', 'portforward', 'proxy']);
/** Questions that are asked with POST. Nothing is stored. */
const reviews: ReadonlySet<string> = new Set(['authentication.k8s.io', 'authorization.k8s.io']);

/** Refuses requests that would change an object or reach for a node, a pod or a service, with 405. Also dry runs: nothing runs admission. */
export const readOnly: Filter = (request, response, next) => {
  const { requestInfo } = scopeOf(request);
  if (!requestInfo.isResourceRequest || isRead(requestInfo)) {
    next();
    return;
  }
  const { apiGroup: group, resource, name, verb, subresource } = requestInfo;
  const action = subresource === '' ? verb : elsewhere.has(subresource) ? subresource : `${verb} of ${subresource}`;
  writeStatusError(request, response, newReadOnly({ group, resource }, name, action));
};

function isRead({ apiGroup, verb, subresource }: RequestInfo): boolean {
  if (reviews.has(apiGroup) && verb === 'create') return true;
  return reads.has(verb) && !elsewhere.has(subresource);
}
