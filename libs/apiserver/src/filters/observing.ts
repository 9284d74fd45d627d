import type { UserInfo } from '@apichain/authn';
import {
  recordOf,
  scopeOf,
  switchingProtocols,
  watchResponse,
  type Filter,
  type RequestObserver,
  type RequestScope,
} from '@apichain/request';

const firstError = 400;

/**
 * Measures each request and tells the observers of it when it is finished, and of a long-running request also when its response begins. `service` is
 * the name of this server, `self` the user of the server itself, whose requests are not told. Requests of an earlier server of the chain are told by
 * that server.
 */
export function observing(service: string, self: UserInfo, observers: readonly RequestObserver[]): Filter {
  const isTold = ({ delegated, user }: RequestScope) => !delegated && user !== self;
  const hearOpenings = observers.some((observer) => observer.opened !== undefined);
  return (request, _response, next) => {
    const scope = scopeOf(request);
    const times = scope.measure(service);
    let isOpen: boolean | undefined;
    if (hearOpenings && scope.longRunning)
      whenOpened(scope, (code) => {
        if (!isTold(scope)) return;
        isOpen = false;
        const record = recordOf(scope, times, { isOpen: true, code });
        for (const observer of observers) observer.opened?.(record);
      });
    scope.onFinish(() => {
      if (!isTold(scope)) return;
      const record = recordOf(scope, times, { isOpen });
      for (const observer of observers) observer.finished(record);
    });
    next();
  };
}

/** Calls the listener when the response begins, unless it is an error, or when the connection is taken over. */
function whenOpened(scope: RequestScope, listener: (code: number) => void): void {
  scope.whenTaken = () => listener(switchingProtocols);
  watchResponse(scope.response, {
    head: (code) => {
      if (code < firstError) listener(code);
    },
    end: () => undefined,
  });
}
