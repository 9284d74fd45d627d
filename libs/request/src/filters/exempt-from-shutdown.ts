import type { RequestScope } from '../request-scope.ts';

const exemptPaths: readonly string[] = ['/readyz', '/livez', '/healthz', '/metrics'];

/**
 * Whether a request is served until the very end of a shutdown: probes, metrics, and the server's own loopback requests
 * (isRequestExemptFromRetryAfter of k8s.io/apiserver/pkg/server/filters/with_retry_after.go).
 */
export const isExemptFromShutdown = ({ path, userAgent }: RequestScope): boolean =>
  userAgent.startsWith('kube-apiserver/') || exemptPaths.some((prefix) => path.startsWith(prefix));
