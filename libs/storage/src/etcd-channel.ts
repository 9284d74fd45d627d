import { CallEndpoint } from './call-endpoint.ts';
import type { ChannelOptions, StreamRequest } from './channel-options.ts';
import { EtcdError, neverSent } from './etcd-error.ts';
import { grpcStatus } from './grpc-status.ts';
import type { MessageStream, StreamHandlers } from './grpc-stream.ts';
import type { UnaryRequest } from './grpc-unary-call.ts';
import { StreamEndpoint } from './stream-endpoint.ts';

/** gRPC calls to one of several endpoints. */
export interface GrpcChannel {
  /**
   * Resolves with the encoded answer. Throws EtcdError; `wasNeverSent` tells whether the call may be sent again, and it then
   * goes to the next endpoint.
   */
  call(request: UnaryRequest): Promise<Buffer>;
  /** Opens a stream. Throws EtcdError when no connection can be had. */
  stream(request: StreamRequest, handlers: StreamHandlers): Promise<MessageStream>;
  close(): void;
}

/** One of the servers: calls and streams have sessions of their own, opened when they are needed. */
interface Endpoint {
  readonly calls: CallEndpoint;
  readonly streams: StreamEndpoint;
}

const movesOn = (error: unknown) =>
  error instanceof EtcdError && (error.code === grpcStatus.UNAVAILABLE || error.code === grpcStatus.DEADLINE_EXCEEDED);

/**
 * Calls go to one endpoint until it fails, then to the next. Nothing is sent before the first call, and nothing is ever
 * repeated here: a write that failed may have happened.
 */
export function openChannel(options: ChannelOptions): GrpcChannel {
  const endpoints = options.servers.map((server): Endpoint => ({
    calls: new CallEndpoint(server, options),
    streams: new StreamEndpoint(server, options),
  }));
  let current = 0;
  let closed = false;
  const leave = (at: number, error: unknown) => {
    if (at === current && movesOn(error)) current = (at + 1) % endpoints.length;
  };
  const useCurrent = async <Result>(use: (endpoint: Endpoint, at: number) => Promise<Result>): Promise<Result> => {
    const at = current;
    const endpoint = endpoints[at];
    if (closed || endpoint === undefined) throw neverSent('the connection is closed');
    try {
      return await use(endpoint, at);
    } catch (error) {
      leave(at, error);
      throw error;
    }
  };
  return {
    call: (request) => useCurrent(({ calls }) => calls.call(request)),
    stream: (request, { onMessage, onEnd }) =>
      useCurrent(({ streams }, at) =>
        streams.stream(request, {
          onMessage,
          onEnd: (cause) => {
            leave(at, cause);
            onEnd(cause);
          },
        }),
      ),
    close() {
      closed = true;
      for (const { calls, streams } of endpoints) {
        calls.close();
        streams.close();
      }
    },
  };
}
