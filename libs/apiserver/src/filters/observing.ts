import type { UserInfo } from '@apichain/authn';
import { recordOf, scopeOf, type Filter, type RequestObserver } from '@apichain/request';

/**
 * Measures each request and tells the observers of it when it is finished. `service` is the name of this server, `self` the user of the server
 * itself, whose requests are not told. Requests of an earlier server of the chain are told by that server.
 */
export function observing(service: string, self: UserInfo, observers: readonly RequestObserver[]): Filter {
  return (request, _response, next) => {
    const scope = scopeOf(request);
    const times = scope.measure(service);
    scope.onFinish(() => {
      if (scope.delegated || scope.user === self) return;
      const record = recordOf(scope, times);
      for (const observe of observers) observe(record);
    });
    next();
  };
}
