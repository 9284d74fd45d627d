export { startChain } from './start-chain.ts';
export { explore, SeedError } from './time/explore.ts';
export { eventually, waitFor, type WaitOptions } from './eventually.ts';
export type { ContainerEnd, NodeControl, Workloads, WorkloadWait } from './workloads/workloads.ts';
export type { StartChainOptions, TestChain, WorkloadOptions } from './test-chain.ts';
export type { ClientConfig, TestUser, UserOptions } from './users.ts';
export { Faults, type Fault, type FaultHandle } from './faults.ts';
export type { RecordedRequest } from './recorded-requests.ts';
export type { AuditEvent, AuditOptions, AuditPolicyObject, AuditRule, AuditUser } from './audit.ts';
export type { AuditLevel } from '@apichain/request';
export type { Duration } from './time/duration.ts';
export type { ChainClock } from './time/clock.ts';
export type { RequestMatch } from './request-match.ts';
export type { Manifest } from './manifests.ts';
export type { ChainSnapshot } from './snapshots.ts';
export type { ApiServiceHandler, ApiServiceOptions, ApiServiceResource, ApiServiceUser } from './api-services.ts';
export type { WebhookCall, WebhookOptions, WebhookServing } from './webhooks/serving.ts';
export type {
  AdmissionResponse,
  AdmissionHandler,
  AdmissionRequest,
  AdmissionReview,
  ConversionHandler,
  ConversionReview,
  GroupVersionKindName,
  GroupVersionResourceName,
  JsonPatchStep,
} from './webhooks/reviews.ts';
export { serveWebhooks, type WebhookServer, type WebhookServerOptions } from './webhooks/serve.ts';
export { withWebhooksAt, type WebhookAddress } from './webhooks/rewrite.ts';
