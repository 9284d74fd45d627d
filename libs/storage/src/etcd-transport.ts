import type { EtcdCredentials } from './etcd-credentials.ts';

export interface TransportOptions {
  /** As EtcdOptions.servers. */
  readonly servers: readonly string[];
  /** Asked for every new connection. */
  readonly credentials?: () => EtcdCredentials;
  /** Which of etcd3's clients carry the calls; each has a connection of its own. Default: KV. */
  readonly service?: 'KV' | 'Watch';
}

export interface UnaryRequest {
  /** `/package.Service/Method`. */
  readonly path: string;
  /** The encoded request message. */
  readonly message: Buffer;
  /** Milliseconds until the call is given up. */
  readonly timeout: number;
}

export interface StreamRequest {
  /** `/package.Service/Method`. */
  readonly path: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** Milliseconds until a connection that is not there yet is given up. */
  readonly timeout: number;
}

/** What comes of a stream. A handler that throws ends its stream, and nothing else. */
export interface StreamHandlers {
  /** Gets each encoded message. */
  readonly onMessage: (message: Buffer) => void;
  /** The stream is over, by whatever cause but `cancel`: an EtcdError, or what `onMessage` threw. Called once. */
  readonly onEnd: (cause: Error) => void;
}

/** A call with a stream of messages in both directions. */
export interface MessageStream {
  write(message: Buffer): void;
  /** Lets the server wait; messages that have arrived already still come. */
  pause(): void;
  resume(): void;
  cancel(): void;
}

/** Carries encoded calls to one of several endpoints. Nothing is ever repeated here: a write that failed may have happened. */
export interface EtcdTransport {
  /**
   * Resolves with the encoded answer. Throws EtcdError; `wasNeverSent` tells whether the call may be sent again, and it then
   * goes to the next endpoint.
   */
  call(request: UnaryRequest): Promise<Buffer>;
  /** Opens a stream. Throws EtcdError when no connection can be had. */
  stream(request: StreamRequest, handlers: StreamHandlers): Promise<MessageStream>;
  /** Ends what is under way. */
  close(): void;
}
