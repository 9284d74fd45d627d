import { EtcdServerError, inProcessEtcd, type InProcessEtcd } from '@apichain/embedded-etcd/in-process';
import { EtcdError, neverSent } from './etcd-error.ts';
import { grpcStatus, isGrpcStatus } from './grpc-status.ts';
import type { MessageStream, StreamHandlers } from './grpc-stream.ts';
import type { UnaryRequest } from './grpc-unary-call.ts';

function toEtcdError(error: unknown): unknown {
  if (!(error instanceof EtcdServerError)) return error;
  return new EtcdError(isGrpcStatus(error.code) ? error.code : grpcStatus.UNKNOWN, error.details);
}

/** An embedded etcd of this process, reached without a connection. It has no deadlines: nothing can come between. */
export class InProcessEndpoint {
  readonly #url: string;
  readonly #streams = new Set<() => void>();

  constructor(url: string) {
    this.#url = url;
  }

  async call({ path, message }: UnaryRequest): Promise<Buffer> {
    try {
      return await this.#etcd().call(path, message);
    } catch (error) {
      throw toEtcdError(error);
    }
  }

  async stream(_request: unknown, { onMessage, onEnd }: StreamHandlers): Promise<MessageStream> {
    const end = () => {
      this.#streams.delete(cutOff);
      onEnd(new EtcdError(grpcStatus.UNAVAILABLE, 'the server ended the stream'));
    };
    const watch = this.#etcd().openWatch({ onMessage, onEnd: end });
    const cutOff = () => {
      watch.cancel();
      end();
    };
    this.#streams.add(cutOff);
    return {
      ...watch,
      cancel: () => {
        this.#streams.delete(cutOff);
        watch.cancel();
      },
    };
  }

  close(): void {
    for (const cutOff of [...this.#streams]) cutOff();
  }

  #etcd(): InProcessEtcd {
    const etcd = inProcessEtcd(this.#url);
    if (etcd === undefined) throw neverSent('the embedded etcd has been closed');
    return etcd;
  }
}
