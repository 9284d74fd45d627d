import type { Filter } from '@apichain/request';
import { clientScope, factsOf } from '../request-match.ts';
import type { ChainActivity } from './chain-activity.ts';

/** Requests that last as long as the client wants. */
const lastingVerbs: ReadonlySet<string> = new Set(['watch', 'connect', 'proxy']);
const lastingSubresources: ReadonlySet<string> = new Set(['exec', 'attach', 'portforward', 'proxy', 'log']);

/** Reports the requests of clients that come over connections. */
export function reportingInFlight(activity: ChainActivity): Filter {
  return (request, _response, next) => {
    const scope = clientScope(request);
    if (scope !== undefined) {
      const { verb, subresource } = factsOf(scope);
      const isLasting = lastingVerbs.has(verb) || lastingSubresources.has(subresource);
      const what = `${request.method ?? ''} ${request.url ?? ''} of ${scope.user.name}`;
      scope.onFinish(activity.clientRequest(what, isLasting));
    }
    next();
  };
}
