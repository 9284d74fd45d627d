import type { AttributeValue, FinishedSpan, SpanEvent } from './span.ts';

/** A span as `/recent-requests` shows it. Times are milliseconds since the epoch, with fractions. */
export interface RecordedSpan {
  readonly traceId: string;
  readonly id: string;
  readonly parent?: string;
  readonly name: string;
  readonly kind: FinishedSpan['kind'];
  readonly start: number;
  readonly end: number;
  readonly attributes: Readonly<Record<string, AttributeValue>>;
  readonly events: readonly SpanEvent[];
  readonly error?: string;
}

/** Spans of one trace that are kept. A request has some ten; a list of webhooks or of calls to etcd may have many more. */
const maxSpans = 128;
/** Characters of an attribute that are kept: a URL may have a million. */
const maxText = 2048;
/** Probes come every few seconds and would soon be all that is kept. */
const probe = /^\/(?:livez|readyz|healthz|metrics)(?:[/?]|$)/;

/** Keeps the spans of the last traces in memory. */
export class SpanRecorder {
  readonly #limit: number;
  /** By trace id, oldest first. */
  readonly #traces = new Map<string, RecordedSpan[]>();

  /** Keeps at most `limit` traces. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  add(span: FinishedSpan): void {
    const { traceId, spanId } = span.context;
    if (probe.test(String(span.attributes['http.target'] ?? ''))) {
      this.#traces.delete(traceId);
      return;
    }
    let spans = this.#traces.get(traceId);
    if (spans === undefined) {
      const [oldest] = this.#traces.keys();
      if (this.#traces.size >= this.#limit && oldest !== undefined) this.#traces.delete(oldest);
      this.#traces.set(traceId, (spans = []));
    }
    // The span of the request itself ends last and is always kept.
    if (spans.length >= maxSpans && span.kind !== 'server') return;
    if (spans.length >= maxSpans) spans.shift();
    const { parentSpanId, name, kind, start, end, attributes, events, error } = span;
    spans.push({
      traceId,
      id: spanId,
      ...(parentSpanId === undefined ? {} : { parent: parentSpanId }),
      name,
      kind,
      start,
      end,
      attributes: shortened(attributes),
      events: events.map((event) => ({ ...event, attributes: shortened(event.attributes) })),
      ...(error === undefined ? {} : { error: error.slice(0, maxText) }),
    });
  }

  /** The spans of the requests that ended here, newest first. */
  requests(): RecordedSpan[] {
    const found: RecordedSpan[] = [];
    for (const spans of this.#traces.values()) for (const span of spans) if (span.kind === 'server') found.push(span);
    return found.sort((a, b) => b.start - a.start);
  }

  /** All spans of a trace that ended here. */
  trace(traceId: string): readonly RecordedSpan[] {
    return this.#traces.get(traceId) ?? [];
  }
}

function shortened(attributes: Readonly<Record<string, AttributeValue>>): Readonly<Record<string, AttributeValue>> {
  const entries = Object.entries(attributes);
  if (!entries.some(([, value]) => typeof value === 'string' && value.length > maxText)) return attributes;
  return Object.fromEntries(
    entries.map(([name, value]) => [name, typeof value === 'string' ? value.slice(0, maxText) : value]),
  );
}
