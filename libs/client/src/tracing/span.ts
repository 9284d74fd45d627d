import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';

/*
 * The part of OpenTelemetry's span API that an API server uses: https://opentelemetry.io/docs/specs/otel/trace/api/
 */

/** The contents of the header `traceparent`: https://www.w3.org/TR/trace-context/ */
export interface SpanContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  /** Whether spans of the trace are recorded. */
  readonly sampled: boolean;
}

export type AttributeValue = string | number | boolean;
export type Attributes = Readonly<Record<string, AttributeValue>>;
export type SpanKind = 'internal' | 'server' | 'client';

/** A point in time within a span. */
interface SpanEvent {
  readonly name: string;
  /** Milliseconds since the epoch, with fractions. */
  readonly at: number;
  readonly attributes: Attributes;
}

export interface FinishedSpan {
  readonly context: SpanContext;
  readonly parentSpanId?: string;
  /** A link to another trace that caused this one. */
  readonly link?: SpanContext;
  readonly name: string;
  readonly kind: SpanKind;
  /** Milliseconds since the epoch, with fractions. */
  readonly start: number;
  readonly end: number;
  readonly attributes: Attributes;
  readonly events: readonly SpanEvent[];
  /** The error message, if the work failed. */
  readonly error?: string;
}

const traceparent = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-|$)/;

/** Parses the header `traceparent`. Undefined when it is absent or does not follow the specification. */
export function parseTraceparent(header: string | undefined): SpanContext | undefined {
  const match = header === undefined ? null : traceparent.exec(header);
  if (match === null) return undefined;
  const [, version = '', traceId = '', spanId = '', flags = '', more = ''] = match;
  if (version === 'ff' || (version === '00' && more !== '') || /^0+$/.test(traceId) || /^0+$/.test(spanId)) {
    return undefined;
  }
  return { traceId, spanId, sampled: (parseInt(flags, 16) & 1) === 1 };
}

/** The value of the header `traceparent`: https://www.w3.org/TR/trace-context/ */
export const formatTraceparent = ({ traceId, spanId, sampled }: SpanContext): string =>
  `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`;

const newId = (bytes: number): string => randomBytes(bytes).toString('hex');

/** Milliseconds since the epoch, with a higher resolution than Date.now(). */
const now = (): number => performance.timeOrigin + performance.now();

interface SpanOptions {
  readonly name: string;
  readonly kind: SpanKind;
  readonly parent?: SpanContext;
  readonly link?: SpanContext;
  readonly sampled: boolean;
  readonly start?: number;
  readonly attributes?: Attributes;
}

/** An operation in progress, which can have child spans. */
export class Span {
  readonly context: SpanContext;
  readonly #options: SpanOptions;
  readonly #start: number;
  readonly #finished: (span: FinishedSpan) => void;
  readonly #attributes: Record<string, AttributeValue>;
  readonly #events: SpanEvent[] = [];
  #ended = false;

  constructor(options: SpanOptions, finished: (span: FinishedSpan) => void) {
    this.#options = options;
    this.#start = options.start ?? now();
    this.#finished = finished;
    this.#attributes = { ...options.attributes };
    this.context = { traceId: options.parent?.traceId ?? newId(16), spanId: newId(8), sampled: options.sampled };
  }

  /** Whether the trace is recorded, and this span has not ended. */
  get isRecording(): boolean {
    return this.context.sampled && !this.#ended;
  }

  /** Starts a child span. Undefined when the trace is not recorded, or this span has ended. */
  child(name: string, kind: SpanKind, attributes: Attributes = {}, start?: number): Span | undefined {
    if (!this.isRecording) return undefined;
    return new Span({ name, kind, parent: this.context, sampled: true, attributes, start }, this.#finished);
  }

  /** Records a child span of this many seconds that ends now. */
  past(name: string, kind: SpanKind, seconds: number, error?: string): void {
    this.child(name, kind, {}, now() - seconds * 1000)?.end(error);
  }

  /** Records an event of the span. */
  event(name: string, attributes: Attributes = {}): void {
    if (this.isRecording) this.#events.push({ name, at: now(), attributes });
  }

  set(name: string, value: AttributeValue): void {
    this.#attributes[name] = value;
  }

  end(error?: string): void {
    if (this.#ended) return;
    this.#ended = true;
    if (!this.context.sampled) return;
    const { name, kind, parent, link } = this.#options;
    this.#finished({
      context: this.context,
      ...(parent === undefined ? {} : { parentSpanId: parent.spanId }),
      link,
      name,
      kind,
      start: this.#start,
      end: now(),
      attributes: this.#attributes,
      events: this.#events,
      error,
    });
  }
}

/** It costs nothing until the first span runs. */
const spans = new AsyncLocalStorage<Span>();

/** The span of the calling code; undefined when the code is not traced. */
export const currentSpan = (): Span | undefined => spans.getStore();

/** Runs `work`, and everything that it starts, within the span. */
export function runInSpan<Result>(span: Span, work: () => Result): Result {
  return spans.run(span, work);
}

/** Records an event of the current span, and the number of bytes that it concerns. Does nothing without tracing. */
export function traceEvent(name: string, length?: number): void {
  const span = currentSpan();
  if (span !== undefined) span.event(name, length === undefined ? {} : { len: length });
}
