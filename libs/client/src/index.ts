export { discoverGroupVersion } from './discover-group-version.ts';
export { EventRecorder } from './events/event-recorder.ts';
export { Informer, objectKey, type InformerHandlers, type InformerOptions } from './informer.ts';
export { byController, byNamespace, byNodeName, orphansOf, type Index, type IndexFunction } from './informer-index.ts';
export { inClusterConfig, NotInClusterError } from './in-cluster.ts';
export { runWhileLeading } from './leader-election.ts';
export { listInPages } from './list-pages.ts';
export { errorText, jsonLogger, silentLogger, type Logger } from './log.ts';
export { defaultKubeconfig, loadKubeconfig, loadKubeconfigUsers, type KubeconfigUser } from './kubeconfig.ts';
export { controllerOf, controllerReference, isControlledBy, type ControllerKind } from './owner-references.ts';
export { hasReached, resourceVersionOf, type Following } from './resource-version.ts';
export { unstructuredErrorText } from './response-error.ts';
export { RestClient, type ResourceReference } from './rest-client.ts';
export { ReviewWebhook } from './review-webhook.ts';
export { parseBindAddress, serveEndpoints, type BindAddress, type EndpointServer } from './serve-endpoints.ts';
export { SharedInformers, trimmedMetadata } from './shared-informers.ts';
export { openTracer } from './tracing/open-tracer.ts';
export {
  currentSpan,
  formatTraceparent,
  parseTraceparent,
  runInSpan,
  traceEvent,
  type Span,
  type SpanContext,
} from './tracing/span.ts';
export type { Tracer } from './tracing/tracer.ts';
export {
  httpTransport,
  type HttpTransportOptions,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from './transport.ts';
export { WorkQueue, runUntilAborted, runWorkers, type WorkQueueObserver } from './work-queue.ts';
export { writeStatus } from './write-status.ts';
