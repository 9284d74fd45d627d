import type { EtcdCredentials } from '../etcd-credentials.ts';

export interface TransportOptions {
  /** As EtcdOptions.servers. */
  readonly servers: readonly string[];
  /** Called for every new connection. */
  readonly credentials?: () => EtcdCredentials;
  /** The client of etcd3 that carries the calls; each has a separate connection. Default: KV. */
  readonly service?: 'KV' | 'Watch';
}

export interface UnaryRequest {
  /** `/package.Service/Method`. */
  readonly path: string;
  /** The encoded request message. */
  readonly message: Buffer;
  /** Timeout of the call, in milliseconds. */
  readonly timeout: number;
}

export interface StreamRequest {
  /** `/package.Service/Method`. */
  readonly path: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** Timeout of connecting, if there is no connection yet, in milliseconds. */
  readonly timeout: number;
}

/** Callbacks of a stream. A callback that throws ends its own stream only. */
export interface StreamHandlers {
  /** Called with each encoded message. */
  readonly onMessage: (message: Buffer) => void;
  /** Called once when the stream ends for any reason other than `cancel`, with an EtcdError or the error that `onMessage` threw. */
  readonly onEnd: (cause: Error) => void;
}

/** A call with a stream of messages in both directions. */
export interface MessageStream {
  write(message: Buffer): void;
  /** Stops reading, so that flow control stops the server. Messages that have already arrived are still delivered. */
  pause(): void;
  resume(): void;
  cancel(): void;
}

/** Carries encoded calls to one of several endpoints. Never repeats a call: a failed write may have been applied. */
export interface EtcdTransport {
  /**
   * Resolves with the encoded response. Throws EtcdError. If `wasNeverSent` is true for the error, the call may be repeated and goes to the next
   * endpoint.
   */
  call(request: UnaryRequest): Promise<Buffer>;
  /** Opens a stream. Throws EtcdError when no connection can be established. */
  stream(request: StreamRequest, handlers: StreamHandlers): Promise<MessageStream>;
  /** Ends all calls and streams under way. */
  close(): void;
}
