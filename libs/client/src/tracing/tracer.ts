import { OtlpExporter, type OtlpExporterOptions } from './otlp-exporter.ts';
import { Span, type Attributes, type SpanContext } from './span.ts';

export interface TracerOptions extends OtlpExporterOptions {
  /** The number of recorded traces per million, for traces that begin here. */
  readonly samplingRatePerMillion: number;
}

const million = 1_000_000;

/** Starts traces, or continues those of callers, and exports the recorded spans. */
export class Tracer {
  readonly #exporter: OtlpExporter;
  readonly #samplingRatePerMillion: number;

  constructor(options: TracerOptions) {
    this.#exporter = new OtlpExporter(options);
    this.#samplingRatePerMillion = options.samplingRatePerMillion;
  }

  /**
   * Starts the span of a request. If the caller may decide what is recorded (`trusted`), the span belongs to the caller's trace. Otherwise it starts
   * a new trace with a link to the caller's. `start` is in milliseconds since the epoch.
   */
  serve(name: string, caller: SpanContext | undefined, trusted: boolean, attributes: Attributes, start: number): Span {
    const finished = this.#exporter.add.bind(this.#exporter);
    const common = { name, kind: 'server', attributes, start } as const;
    if (caller !== undefined && trusted)
      return new Span({ ...common, parent: caller, sampled: caller.sampled }, finished);
    const sampled = Math.random() * million < this.#samplingRatePerMillion;
    return new Span({ ...common, sampled, link: caller }, finished);
  }

  close(): Promise<void> {
    return this.#exporter.close();
  }
}
