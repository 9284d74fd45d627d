import { OtlpExporter, type OtlpExporterOptions } from './otlp-exporter.ts';
import { Span, type Attributes, type SpanContext } from './span.ts';

export interface TracerOptions extends OtlpExporterOptions {
  /** Of traces that begin here, how many in a million are recorded. */
  readonly samplingRatePerMillion: number;
}

const million = 1_000_000;

/** Begins traces, or joins those of callers, and exports what is recorded of them. */
export class Tracer {
  readonly #exporter: OtlpExporter;
  readonly #samplingRatePerMillion: number;

  constructor(options: TracerOptions) {
    this.#exporter = new OtlpExporter(options);
    this.#samplingRatePerMillion = options.samplingRatePerMillion;
  }

  /**
   * The work on a request. A caller who may decide what is recorded (`trusted`) has the request in the caller's trace; anybody else's is a
   * trace of its own with a link to theirs. `start` is in milliseconds since the epoch.
   */
  serve(name: string, caller: SpanContext | undefined, trusted: boolean, attributes: Attributes, start: number): Span {
    const finished = this.#exporter.add.bind(this.#exporter);
    const common = { name, kind: 'server', attributes, start } as const;
    if (caller !== undefined && trusted)
      return new Span({ ...common, parent: caller, sampled: caller.sampled }, finished);
    const sampled = Math.random() * million < this.#samplingRatePerMillion;
    return new Span({ ...common, sampled, ...(caller === undefined ? {} : { link: caller }) }, finished);
  }

  close(): Promise<void> {
    return this.#exporter.close();
  }
}
