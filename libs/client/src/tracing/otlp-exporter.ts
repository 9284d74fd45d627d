import { createRequire } from 'node:module';
import { asError } from '@apichain/meta';
import type * as Grpc from '@grpc/grpc-js';
import { encodeSpans } from './otlp-message.ts';
import type { Attributes, FinishedSpan } from './span.ts';

const require = createRequire(import.meta.url);

const exportPath = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';
const batchSize = 512;
/** The maximum number of queued spans. Further spans are dropped, so that an unreachable collector does not cost memory. */
const maxWaiting = 2048;
const delayMs = 5_000;
const timeoutMs = 10_000;

export interface OtlpExporterOptions {
  /** A gRPC target: `localhost:4317`, `dns:///collector:4317`, `unix:///run/otlp.sock`. */
  readonly endpoint: string;
  /** The attributes that describe the process. */
  readonly resource: Attributes;
  readonly onError: (error: Error) => void;
}

/** Sends spans to a collector over OTLP/gRPC without TLS, in batches. https://opentelemetry.io/docs/specs/otlp/ */
export class OtlpExporter {
  readonly #options: OtlpExporterOptions;
  #waiting: FinishedSpan[] = [];
  #timer: NodeJS.Timeout | undefined;
  #client: Grpc.Client | undefined;

  constructor(options: OtlpExporterOptions) {
    this.#options = options;
  }

  add(span: FinishedSpan): void {
    if (this.#waiting.length >= maxWaiting) return;
    this.#waiting.push(span);
    if (this.#waiting.length >= batchSize) void this.flush();
    else this.#timer ??= setTimeout(() => void this.flush(), delayMs).unref();
  }

  /** Resolves when all queued spans have been sent or dropped. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, batchSize);
      try {
        await this.#send(Buffer.from(encodeSpans(this.#options.resource, batch)));
      } catch (error) {
        this.#options.onError(asError(error));
      }
    }
  }

  async close(): Promise<void> {
    await this.flush();
    this.#client?.close();
    this.#client = undefined;
  }

  #send(message: Buffer): Promise<void> {
    if (this.#client === undefined) {
      const grpc = require('@grpc/grpc-js') as typeof Grpc;
      this.#client = new grpc.Client(this.#options.endpoint, grpc.credentials.createInsecure());
    }
    const client = this.#client;
    return new Promise((resolve, reject) => {
      client.makeUnaryRequest(
        exportPath,
        (bytes: Buffer) => bytes,
        (bytes: Buffer) => bytes,
        message,
        { deadline: Date.now() + timeoutMs },
        (error) => (error === null ? resolve() : reject(error)),
      );
    });
  }
}
