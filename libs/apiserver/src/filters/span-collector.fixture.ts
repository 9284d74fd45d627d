import { createRequire } from 'node:module';
import type * as Grpc from '@grpc/grpc-js';
import { BinaryReader } from '@bufbuild/protobuf/wire';

const grpc = createRequire(import.meta.url)('@grpc/grpc-js') as typeof Grpc;

export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentSpanId: string;
  name: string;
  link: string;
  events: string[];
}

/** The length-delimited values of a protobuf field. */
function fields(bytes: Uint8Array, number: number): Uint8Array[] {
  const reader = new BinaryReader(bytes);
  const found = [];
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if (tag >>> 3 === number && (tag & 7) === 2) found.push(reader.bytes());
    else reader.skip(tag & 7);
  }
  return found;
}

function readSpan(bytes: Uint8Array): ReceivedSpan {
  const hex = (number: number) => Buffer.from(fields(bytes, number)[0] ?? []).toString('hex');
  const [link] = fields(bytes, 13);
  return {
    traceId: hex(1),
    spanId: hex(2),
    parentSpanId: hex(4),
    name: Buffer.from(fields(bytes, 5)[0] ?? []).toString(),
    events: fields(bytes, 11).map((event) => Buffer.from(fields(event, 2)[0] ?? []).toString()),
    link: link === undefined ? '' : Buffer.from(fields(link, 1)[0] ?? []).toString('hex'),
  };
}

/** A collector of OTLP spans. */
export class SpanCollector {
  readonly spans: ReceivedSpan[] = [];
  readonly #server = new grpc.Server();
  endpoint = '';

  async start(): Promise<void> {
    this.#server.addService(
      {
        Export: {
          path: '/opentelemetry.proto.collector.trace.v1.TraceService/Export',
          requestStream: false,
          responseStream: false,
          requestSerialize: (bytes: Buffer) => bytes,
          requestDeserialize: (bytes: Buffer) => bytes,
          responseSerialize: (bytes: Buffer) => bytes,
          responseDeserialize: (bytes: Buffer) => bytes,
        },
      },
      {
        Export: ({ request }: Grpc.ServerUnaryCall<Buffer, Buffer>, respond: Grpc.sendUnaryData<Buffer>) => {
          const scopes = fields(request, 1).flatMap((resource) => fields(resource, 2));
          this.spans.push(...scopes.flatMap((scope) => fields(scope, 2)).map(readSpan));
          respond(null, Buffer.alloc(0));
        },
      },
    );
    const port = await new Promise<number>((resolve, reject) => {
      this.#server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, bound) =>
        error === null ? resolve(bound) : reject(error),
      );
    });
    this.endpoint = `127.0.0.1:${port}`;
  }

  stop(): void {
    this.#server.forceShutdown();
  }
}
