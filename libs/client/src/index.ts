export * from './transport.ts';
export * from './rest-client.ts';
export * from './work-queue.ts';
export * from './informer.ts';
export { ReconnectBackoff } from './reconnect-backoff.ts';
export * from './kubeconfig.ts';
export * from './response-error.ts';
export * from './review-webhook.ts';
export {
  currentSpan,
  formatTraceparent,
  parseTraceparent,
  runInSpan,
  traceEvent,
  type Span,
  type SpanContext,
} from './tracing/span.ts';
export { openTracer } from './tracing/open-tracer.ts';
export type { Tracer } from './tracing/tracer.ts';
