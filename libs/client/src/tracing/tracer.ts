import { OtlpExporter, type OtlpExporterOptions } from './otlp-exporter.ts';
import { SpanRecorder } from './span-recorder.ts';
import { Span, type Attributes, type FinishedSpan, type SpanContext } from './span.ts';

export interface TracerOptions {
  /** The number of recorded traces per million, for traces that begin here. */
  readonly samplingRatePerMillion: number;
  /** Where the spans are exported to; absent = nowhere. */
  readonly exporter?: OtlpExporterOptions;
  /** The number of traces whose spans are kept in memory; absent = none. */
  readonly recentRequests?: number;
}

const million = 1_000_000;

/** Starts traces, or continues those of callers, and exports or keeps the recorded spans. */
export class Tracer {
  readonly #exporter: OtlpExporter | undefined;
  readonly #samplingRatePerMillion: number;
  /** The last recorded traces; undefined = they are not kept. */
  readonly recorder: SpanRecorder | undefined;

  constructor({ exporter, recentRequests, samplingRatePerMillion }: TracerOptions) {
    this.#exporter = exporter === undefined ? undefined : new OtlpExporter(exporter);
    this.recorder = recentRequests === undefined ? undefined : new SpanRecorder(recentRequests);
    this.#samplingRatePerMillion = samplingRatePerMillion;
  }

  /**
   * Starts the span of a request. If the caller may decide what is recorded (`trusted`), the span belongs to the caller's trace. Otherwise it starts
   * a new trace with a link to the caller's. `start` is in milliseconds since the epoch.
   */
  serve(name: string, caller: SpanContext | undefined, trusted: boolean, attributes: Attributes, start: number): Span {
    const detailed = this.recorder !== undefined;
    const common = { name, kind: 'server', attributes, start, detailed } as const;
    if (caller !== undefined && trusted)
      return new Span({ ...common, parent: caller, sampled: caller.sampled }, this.#finished);
    const sampled = Math.random() * million < this.#samplingRatePerMillion;
    return new Span({ ...common, sampled, ...(caller === undefined ? {} : { link: caller }) }, this.#finished);
  }

  readonly #finished = (span: FinishedSpan): void => {
    this.#exporter?.add(span);
    this.recorder?.add(span);
  };

  async close(): Promise<void> {
    await this.#exporter?.close();
  }
}
