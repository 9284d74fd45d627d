import { certificateExpiry, isAuthenticatedByCertificate } from '@apichain/authn';
import type { Authorizer } from '@apichain/authz';
import { auditing, auditingRefusals, auditId } from './filters/audit.ts';
import { authentication } from './filters/authentication.ts';
import { authorization } from './filters/authorization.ts';
import { cacheControl, hsts, cors } from './filters/response-headers.ts';
import { deadline } from './filters/deadline.ts';
import type { Filter } from '@apichain/request';
import { goaway, retryAfter } from './filters/close-session.ts';
import { httpLogging } from './filters/http-logging.ts';
import { impersonation } from './filters/impersonation.ts';
import type { InFlightRequests } from './filters/in-flight-requests.ts';
import type { RequestLimit } from '@apichain/flowcontrol';
import { panicRecovery, type ErrorFilter } from './filters/panic-recovery.ts';
import { readOnly } from './filters/read-only.ts';
import { observing } from './filters/observing.ts';
import { requestInfo } from './filters/request-info.ts';
import { tracing } from './filters/tracing.ts';
import { withoutWatchLists } from './filters/without-watch-lists.ts';
import type { LoopbackAuthenticator } from '@apichain/request';
import type { AccessMetrics, ImpersonationMetrics } from '@apichain/observability';
import type { RequestMetrics } from './filters/request-metrics.ts';
import { findScope } from '@apichain/request';
import type { ServerConfig } from './server-config.ts';

export interface ChainParts {
  readonly config: ServerConfig;
  readonly authenticator: LoopbackAuthenticator;
  readonly authorizer: Authorizer;
  readonly inFlight: InFlightRequests;
  readonly limit: RequestLimit;
  readonly metrics: RequestMetrics;
  readonly access: AccessMetrics;
  readonly impersonation: ImpersonationMetrics;
  /** Whether shutdown has begun and `--shutdown-delay-duration` has passed. */
  readonly isDelayOver: () => boolean;
}

export interface Chain {
  readonly filters: readonly Filter[];
  readonly onError: ErrorFilter;
}

/**
 * The filters in kube-apiserver's order, outermost first (DefaultBuildHandlerChain of k8s.io/apiserver/pkg/server/config.go).
 * Filters that are switched off are left out of the list.
 */
export function buildChain(parts: ChainParts): Chain {
  const { config, metrics, access } = parts;
  const { logger, limits, audit, requestObservers = [] } = config;
  const { goawayChance = 0 } = limits;
  const auditRefusal = audit === undefined ? undefined : auditingRefusals(audit);
  const filters: readonly (Filter | undefined)[] = [
    auditId,
    requestInfo,
    requestObservers.length > 0 ? observing(config.name, parts.authenticator.user, requestObservers) : undefined,
    metrics.filter,
    httpLogging(logger),
    limits.shutdownSendRetryAfter === true ? retryAfter(parts.isDelayOver) : undefined,
    config.strictTransportSecurityDirectives.length > 0 ? hsts(config.strictTransportSecurityDirectives) : undefined,
    cacheControl,
    goawayChance > 0 ? goaway(goawayChance) : undefined,
    parts.inFlight.filter,
    deadline(limits.requestTimeoutMs, (scope) => {
      if (scope.response.headersSent) metrics.recordAbort(scope);
      else metrics.recordTermination(scope, 504);
    }),
    config.corsAllowedOrigins.length > 0 ? cors(config.corsAllowedOrigins) : undefined,
    authentication({
      service: config.name,
      requestHeader: config.requestHeader,
      authenticator: parts.authenticator,
      chainProxies: config.chainProxies,
      onSuccess: (user, seconds, request) => {
        access.authenticated('success', seconds, user.name);
        const expiry = isAuthenticatedByCertificate(user) ? certificateExpiry(request) : undefined;
        if (expiry !== undefined) access.certificateUsed((expiry - Date.now()) / 1000);
      },
      onFailure: (error, outcome, seconds, request) => {
        access.authenticated(outcome, seconds);
        logger.debug({ err: error }, 'Unable to authenticate the request');
        auditRefusal?.(request);
      },
    }),
    config.tracer === undefined ? undefined : tracing(config.tracer),
    audit === undefined ? undefined : auditing(audit, parts.authenticator.user),
    impersonation(parts.authorizer, config.features?.isOpen('ConstrainedImpersonation') !== false, parts.impersonation),
    ...(config.filters ?? []),
    parts.limit.filter,
    authorization(parts.authorizer, (outcome, seconds) => access.authorized(outcome, seconds)),
    config.features?.isOpen('WatchList') === false ? withoutWatchLists : undefined,
    config.readOnly === undefined ? undefined : readOnly,
  ];
  const onError = panicRecovery((error, request) =>
    logger.error(
      { err: error, auditID: findScope(request)?.auditId, method: request.method, uri: request.url },
      'a handler failed unexpectedly',
    ),
  );
  return { filters: filters.filter((filter) => filter !== undefined), onError };
}
