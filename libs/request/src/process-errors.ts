import type { Logger } from 'pino';
import { currentRequest } from './current-request.ts';

/**
 * Keeps the process alive when a timer, a callback or a promise fails and nobody catches it: the request that it belongs to is answered with
 * an error or broken off, and everybody else is served on. What belongs to no request is logged, and the process goes on as well: whoever
 * can provoke such an error could otherwise end the process again and again. State that would be in doubt afterwards has owners that begin
 * anew by themselves (watch caches and informers list again, controllers queue again); a process that does not answer any more is
 * started again by who supervises it. For programs only: a library must not decide this for the process that it is used in.
 * Returns what takes it back.
 */
export function surviveErrors(logger: Logger): () => void {
  const onError = (error: unknown): void => {
    const scope = currentRequest();
    if (scope === undefined) logger.error({ err: error }, 'an error of no request was not caught');
    else scope.fail(error);
  };
  process.on('uncaughtException', onError);
  process.on('unhandledRejection', onError);
  return () => {
    process.off('uncaughtException', onError);
    process.off('unhandledRejection', onError);
  };
}
