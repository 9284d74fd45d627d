import type { TokenCacheObserver } from '@apichain/authn';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

const reviewSeconds = [0.25, 0.5, 0.7, 1, 1.5, 3, 5, 10];

/**
 * Counts the reviews that a server asks the core API for: TokenReviews (`authn`) or SubjectAccessReviews (`authz`). The returned function takes the
 * status code of a response, or `<error>`, and the seconds that it took. Source: metrics.go of k8s.io/apiserver/pkg/authentication/authenticatorfactory
 * and of pkg/authorization/authorizerfactory.
 */
export function delegatedReviewMetrics(
  registry: Registry,
  kind: 'authn' | 'authz',
): (code: string, seconds: number) => void {
  const labelNames = ['code'] as const;
  const registers = [registry];
  const total = new Counter({
    name: `apiserver_delegated_${kind}_request_total`,
    help: 'Reviews that the core API was asked for, by the status code of its response.',
    labelNames,
    registers,
  });
  const durations = new Histogram({
    name: `apiserver_delegated_${kind}_request_duration_seconds`,
    help: 'How long reviews by the core API took, in seconds, by the status code of its response.',
    labelNames,
    buckets: reviewSeconds,
    registers,
  });
  return (code, seconds) => {
    total.inc({ code });
    durations.observe({ code }, seconds);
  };
}

/** Hits and misses of the cache of tokens. Source: stats.go of k8s.io/apiserver/pkg/authentication/token/cache. */
export function tokenCacheMetrics(registry: Registry): TokenCacheObserver {
  const name = 'authentication_token_cache';
  const labelNames = ['status'] as const;
  const registers = [registry];
  const requests = new Counter({
    name: `${name}_request_total`,
    help: 'Tokens looked up in the cache, by whether they were found.',
    labelNames,
    registers,
  });
  const durations = new Histogram({
    name: `${name}_request_duration_seconds`,
    help: 'How long the authentication of a token took, in seconds, by whether it was found in the cache.',
    labelNames,
    registers,
  });
  const fetches = new Counter({
    name: `${name}_fetch_total`,
    help: 'Tokens that were not found in the cache and were authenticated, by whether that succeeded.',
    labelNames,
    registers,
  });
  const active = new Gauge({
    name: `${name}_active_fetch_count`,
    help: 'Tokens that are being authenticated (in_flight), and requests that wait for that (blocked).',
    labelNames,
    registers,
  });
  return {
    completed: (status, seconds) => {
      requests.inc({ status });
      durations.observe({ status }, seconds);
    },
    fetched: (status) => fetches.inc({ status }),
    active: (status, change) => active.inc({ status }, change),
  };
}
