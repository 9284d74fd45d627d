import type { Logger } from 'pino';
import { currentRequest } from './current-request.ts';

/**
 * Keeps the process running when an error in a timer, a callback or a promise is not caught. The request that the error belongs to is answered
 * with an error or aborted; other requests are served normally. An error that belongs to no request is logged, and the process continues:
 * otherwise a client that can provoke such an error could end the process again and again. State that may be inconsistent afterwards recovers by
 * itself: watch caches and informers list again, controllers queue again. A process that no longer responds is restarted by its supervisor. For
 * programs only: a library must not decide this for its host process.
 * Returns a function that removes the listeners.
 */
export function surviveErrors(logger: Logger): () => void {
  const onError = (error: unknown): void => {
    const scope = currentRequest();
    if (scope === undefined) logger.error({ err: error }, 'uncaught error outside of requests');
    else scope.fail(error);
  };
  process.on('uncaughtException', onError);
  process.on('unhandledRejection', onError);
  return () => {
    process.off('uncaughtException', onError);
    process.off('unhandledRejection', onError);
  };
}
