import type { Logger } from 'pino';
import { scopeOf } from '@apichain/request';
import type { Filter } from '@apichain/request';

/** Logs one line per request at `--v=3` and above. At lower levels there is no filter, and so no cost per request. */
export function httpLogging(logger: Logger): Filter | undefined {
  if (!logger.isLevelEnabled('debug')) return undefined;
  return (request, response, next) => {
    const scope = scopeOf(request);
    scope.onFinish(() =>
      logger.debug(
        {
          verb: scope.requestInfo.verb,
          uri: request.url,
          code: response.statusCode,
          user: scope.user.name,
          userAgent: scope.userAgent,
          auditId: scope.auditId,
          latencyMs: Date.now() - scope.receivedAt,
        },
        'HTTP',
      ),
    );
    next();
  };
}
