import { field, newInvalid } from '@apichain/meta';
import { scopeOf, writeStatusError, type Filter } from '@apichain/request';

/**
 * Refuses watches that ask for the initial state (sendInitialEvents), with 422: the feature gate WatchList is disabled. Clients list instead.
 * Source: k8s.io/apimachinery/pkg/apis/meta/internalversion/validation.
 */
export const withoutWatchLists: Filter = (request, response, next) => {
  const { requestInfo } = scopeOf(request);
  const isAsked = new URL(request.url ?? '/', 'http://localhost').searchParams.has('sendInitialEvents');
  if (requestInfo.verb !== 'watch' || !isAsked) {
    next();
    return;
  }
  const problem = 'sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled';
  const error = field.forbidden('sendInitialEvents', problem);
  writeStatusError(request, response, newInvalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', [error]));
};
