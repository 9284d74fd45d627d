import {
  ExportTraceServiceRequest,
  Span_SpanKind,
  Status_StatusCode,
  type AnyValue,
  type KeyValue,
  type Span,
} from './generated/trace.ts';
import type { Attributes, AttributeValue, FinishedSpan, SpanKind } from './span.ts';

const kinds: Readonly<Record<SpanKind, Span_SpanKind>> = {
  internal: Span_SpanKind.INTERNAL,
  server: Span_SpanKind.SERVER,
  client: Span_SpanKind.CLIENT,
};
const scopeName = 'apichain';

/** Encodes the spans of one process, described by `resource`, as an ExportTraceServiceRequest of the OpenTelemetry protocol. */
export function encodeSpans(resource: Attributes, spans: readonly FinishedSpan[]): Uint8Array {
  return ExportTraceServiceRequest.encode({
    resourceSpans: [
      {
        resource: { attributes: attributesOf(resource) },
        scopeSpans: [{ scope: { name: scopeName }, spans: spans.map(spanOf) }],
      },
    ],
  }).finish();
}

const bytesOf = (hex: string): Buffer => Buffer.from(hex, 'hex');
const nanoseconds = (milliseconds: number): string => `${Math.round(milliseconds * 1000)}000`;

function spanOf({
  context,
  parentSpanId,
  link,
  error,
  name,
  kind,
  start,
  end,
  attributes,
  events,
}: FinishedSpan): Span {
  return {
    traceId: bytesOf(context.traceId),
    spanId: bytesOf(context.spanId),
    name,
    kind: kinds[kind],
    startTimeUnixNano: nanoseconds(start),
    endTimeUnixNano: nanoseconds(end),
    attributes: attributesOf(attributes),
    events: events.map((event) => ({
      timeUnixNano: nanoseconds(event.at),
      name: event.name,
      attributes: attributesOf(event.attributes),
    })),
    ...(parentSpanId === undefined ? {} : { parentSpanId: bytesOf(parentSpanId) }),
    ...(link === undefined ? {} : { links: [{ traceId: bytesOf(link.traceId), spanId: bytesOf(link.spanId) }] }),
    ...(error === undefined ? {} : { status: { message: error, code: Status_StatusCode.ERROR } }),
  };
}

const attributesOf = (attributes: Attributes): KeyValue[] =>
  Object.entries(attributes).map(([key, value]) => ({ key, value: valueOf(value) }));

function valueOf(value: AttributeValue): AnyValue {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  return Number.isInteger(value) ? { intValue: value } : { doubleValue: value };
}
