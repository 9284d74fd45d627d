import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';

/*
 * Spans as OpenTelemetry has them, as far as an API server makes any: https://opentelemetry.io/docs/specs/otel/trace/api/
 */

/** What travels in the header `traceparent`: https://www.w3.org/TR/trace-context/ */
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

/** A step of the work that a span is about. */
export interface SpanEvent {
  readonly name: string;
  /** Milliseconds since the epoch, with fractions. */
  readonly at: number;
  readonly attributes: Attributes;
}

export interface FinishedSpan {
  readonly context: SpanContext;
  readonly parentSpanId?: string;
  /** Another trace that this one came out of. */
  readonly link?: SpanContext;
  readonly name: string;
  readonly kind: SpanKind;
  /** Milliseconds since the epoch, with fractions. */
  readonly start: number;
  readonly end: number;
  readonly attributes: Attributes;
  readonly events: readonly SpanEvent[];
  /** What went wrong. */
  readonly error?: string;
}

const traceparent = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-|$)/;

/** Undefined when the header is absent or does not follow the specification. */
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

/** Milliseconds since the epoch, finer than Date.now(). */
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

/** A piece of work under way, and the place in the trace where more of it belongs. */
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

  /** Work that begins now as part of this; undefined when nobody records it, or this has ended. */
  child(name: string, kind: SpanKind, attributes: Attributes = {}, start?: number): Span | undefined {
    if (!this.context.sampled || this.#ended) return undefined;
    return new Span(
      { name, kind, parent: this.context, sampled: true, attributes, ...(start === undefined ? {} : { start }) },
      this.#finished,
    );
  }

  /** Work of so many seconds that has just ended. */
  past(name: string, kind: SpanKind, seconds: number, error?: string): void {
    this.child(name, kind, {}, now() - seconds * 1000)?.end(error);
  }

  /** A step was reached. */
  event(name: string, attributes: Attributes = {}): void {
    if (this.context.sampled && !this.#ended) this.#events.push({ name, at: now(), attributes });
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
      ...(link === undefined ? {} : { link }),
      name,
      kind,
      start: this.#start,
      end: now(),
      attributes: this.#attributes,
      events: this.#events,
      ...(error === undefined ? {} : { error }),
    });
  }
}

/** There from the first tracer on: until then nobody pays for it. */
let spans: AsyncLocalStorage<Span> | undefined;

/** What the code that asks is part of; undefined = nobody traces. */
export const currentSpan = (): Span | undefined => spans?.getStore();

/** Runs `work`, and everything that it starts, as part of the span. */
export function runInSpan<Result>(span: Span, work: () => Result): Result {
  spans ??= new AsyncLocalStorage();
  return spans.run(span, work);
}

/** Notes a step of the work under way, and the bytes that it is about; nothing where nobody traces. */
export function traceEvent(name: string, length?: number): void {
  const span = currentSpan();
  if (span !== undefined) span.event(name, length === undefined ? {} : { len: length });
}
