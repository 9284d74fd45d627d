import { BinaryWriter } from '@bufbuild/protobuf/wire';
import type { Attributes, AttributeValue, FinishedSpan, SpanKind } from './span.ts';

/*
 * ExportTraceServiceRequest of the OpenTelemetry protocol:
 * https://github.com/open-telemetry/opentelemetry-proto/blob/main/opentelemetry/proto/trace/v1/trace.proto
 */

const kinds: Readonly<Record<SpanKind, number>> = { internal: 1, server: 2, client: 3 };
const statusError = 2;
const scopeName = 'apichain';

function message(write: (out: BinaryWriter) => unknown): Uint8Array {
  const out = new BinaryWriter();
  write(out);
  return out.finish();
}

/** Spans of one process, which `resource` describes. */
export function encodeSpans(resource: Attributes, spans: readonly FinishedSpan[]): Uint8Array {
  const described = message((out) => writeAttributes(out, 10, resource));
  const scope = message((out) => out.uint32(10).string(scopeName));
  const scoped = message((out) => {
    out.uint32(10).bytes(scope);
    for (const span of spans) out.uint32(18).bytes(encodeSpan(span));
  });
  const resourceSpans = message((out) => out.uint32(10).bytes(described).uint32(18).bytes(scoped));
  return message((out) => out.uint32(10).bytes(resourceSpans));
}

const bytesOf = (hex: string): Uint8Array => Buffer.from(hex, 'hex');
const nanoseconds = (milliseconds: number): bigint => BigInt(Math.round(milliseconds * 1000)) * 1000n;

function encodeSpan(span: FinishedSpan): Uint8Array {
  const { context, parentSpanId, link, error } = span;
  return message((out) => {
    out.uint32(10).bytes(bytesOf(context.traceId)).uint32(18).bytes(bytesOf(context.spanId));
    if (parentSpanId !== undefined) out.uint32(34).bytes(bytesOf(parentSpanId));
    out.uint32(42).string(span.name).uint32(48).int32(kinds[span.kind]);
    out.uint32(57).fixed64(nanoseconds(span.start)).uint32(65).fixed64(nanoseconds(span.end));
    writeAttributes(out, 74, span.attributes);
    for (const event of span.events) {
      const encoded = message((to) => {
        to.uint32(9).fixed64(nanoseconds(event.at)).uint32(18).string(event.name);
        writeAttributes(to, 26, event.attributes);
      });
      out.uint32(90).bytes(encoded);
    }
    if (link !== undefined) {
      const linked = message((to) => to.uint32(10).bytes(bytesOf(link.traceId)).uint32(18).bytes(bytesOf(link.spanId)));
      out.uint32(106).bytes(linked);
    }
    if (error !== undefined) {
      out.uint32(122).bytes(message((to) => to.uint32(18).string(error).uint32(24).int32(statusError)));
    }
  });
}

function writeAttributes(out: BinaryWriter, tag: number, attributes: Attributes): void {
  for (const [key, value] of Object.entries(attributes)) {
    const encoded = message((to) => to.uint32(10).string(key).uint32(18).bytes(encodeValue(value)));
    out.uint32(tag).bytes(encoded);
  }
}

function encodeValue(value: AttributeValue): Uint8Array {
  return message((out) => {
    if (typeof value === 'string') return out.uint32(10).string(value);
    if (typeof value === 'boolean') return out.uint32(16).bool(value);
    return Number.isInteger(value) ? out.uint32(24).int64(value) : out.uint32(33).double(value);
  });
}
