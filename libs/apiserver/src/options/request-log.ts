import type { Logger, RequestObserver, RequestRecord } from '@apichain/request';

/** The message of the log entries. */
const msg = 'request';
const probes = /^\/(?:livez|readyz|healthz)(?:[/?]|$)/;

/**
 * Logs each request (`--show-requests`), with its record in the member `request`: when it is finished, and a long-running one also when its response
 * begins. Probes that succeed are left out.
 */
export function requestLog(logger: Logger): RequestObserver {
  const log = (request: RequestRecord) => {
    if (request.code !== 200 || !probes.test(request.uri)) logger.info({ request }, msg);
  };
  return { opened: log, finished: log };
}
