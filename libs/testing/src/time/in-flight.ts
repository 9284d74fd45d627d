import type { Activity } from '@apichain/meta';
import type { Filter } from '@apichain/request';
import { clientScope, factsOf } from '../request-match.ts';

/** Requests that last as long as the client wants. */
const lastingVerbs: ReadonlySet<string> = new Set(['watch', 'connect', 'proxy']);
const lastingSubresources: ReadonlySet<string> = new Set(['exec', 'attach', 'portforward', 'proxy', 'log']);

/** Reports the requests of clients that come over connections. `onConnection` is told that there are any. */
export function reportingInFlight(activity: Activity, onConnection: () => void): Filter {
  return (request, _response, next) => {
    const scope = clientScope(request);
    if (scope !== undefined) {
      const { verb, subresource } = factsOf(scope);
      onConnection();
      if (!lastingVerbs.has(verb) && !lastingSubresources.has(subresource))
        scope.onFinish(activity.begin(`${request.method ?? ''} ${request.url ?? ''} of ${scope.user.name}`));
    }
    next();
  };
}
