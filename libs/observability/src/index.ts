export { HealthChecks } from './health/health-checks.ts';
export { PostStartHooks, type HookContext, type PostStartHook } from './health/post-start-hooks.ts';
export { AccessMetrics, type AuthorizationOutcome } from './metrics/access-metrics.ts';
export { admissionMetrics, webhookMetrics } from './metrics/admission-metrics.ts';
export { delegatedReviewMetrics, tokenCacheMetrics } from './metrics/delegation-metrics.ts';
export { healthMetrics } from './metrics/health-metrics.ts';
export { mergeExpositions, mergeWorkers } from './metrics/merged-exposition.ts';
export {
  HistogramSeries,
  PreparedCounter,
  PreparedHistogram,
  exponentialBuckets,
  histogramLines,
  type CounterSeries,
} from './metrics/prepared.ts';
export { installCounts } from './metrics/counts.ts';
export { ImpersonationMetrics, type ImpersonationModeLabel } from './metrics/impersonation-metrics.ts';
export { installTokenMetrics } from './metrics/token-metrics.ts';
export { installFeatureMetrics, installProcessMetrics, type FeatureGate } from './metrics/process-metrics.ts';
export { restClientMetrics } from './metrics/rest-client-metrics.ts';
export { storageMetrics } from './metrics/storage-metrics.ts';
export { installStorageSizes, type ObjectSizes } from './metrics/storage-sizes.ts';
export { WatchEventMetrics } from './metrics/watch-event-metrics.ts';
export { installDebugFlags } from './profiling/debug-flags.ts';
export { DebugSocket } from './profiling/debug-socket.ts';
export { installProfiling } from './profiling/pprof-endpoints.ts';
export { installV8Profiling } from './profiling/v8-endpoints.ts';
export { flagz, statusz, zPageHandler } from './zpages.ts';
