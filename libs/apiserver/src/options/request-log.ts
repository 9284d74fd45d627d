import type { Logger, RequestObserver } from '@apichain/request';

/** The message of the log entries. */
const msg = 'request';
const probes = /^\/(?:livez|readyz|healthz)(?:[/?]|$)/;

/** Logs each finished request (`--show-requests`), with its record in the member `request`. Probes that succeed are left out. */
export const requestLog =
  (logger: Logger): RequestObserver =>
  (request) => {
    if (request.code !== 200 || !probes.test(request.uri)) logger.info({ request }, msg);
  };
