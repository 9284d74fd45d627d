/**
 * Connects a client to an etcd in the same process, without a connection and without the gRPC library. Neither loads the other: the store announces
 * itself here, and a client asks here.
 */

/** An error with the gRPC code and message that etcd uses (api/v3rpc/rpctypes/error.go of etcd). */
export class EtcdServerError extends Error {
  override readonly name = 'EtcdServerError';
  readonly code: number;
  readonly details: string;

  constructor(code: number, details: string) {
    super(details);
    this.code = code;
    this.details = details;
  }
}

/** The API of an etcd in this process. A rejected call throws EtcdServerError. */
export interface InProcessEtcd {
  /** `path` is the gRPC path, e.g. `/etcdserverpb.KV/Txn`; request and response are encoded messages. */
  call(path: string, request: Uint8Array): Promise<Buffer>;
  openWatch(handlers: InProcessWatchHandlers): InProcessWatch;
}

/** Callbacks of a stream of watches in the same process. */
export interface InProcessWatchHandlers {
  /** Called with each encoded WatchResponse, never before the call that caused the response has returned. */
  readonly onMessage: (response: Buffer) => void;
  /** Called when the etcd has been closed. */
  readonly onEnd: () => void;
}

/** A stream of watches. */
export interface InProcessWatch {
  /** Sends an encoded WatchRequest. */
  write(request: Uint8Array): void;
  /** Stops the responses until `resume`, except those already in transit. */
  pause(): void;
  resume(): void;
  cancel(): void;
}

const running = new Map<string, InProcessEtcd>();

/** The etcd of this process that was announced with this URL. */
export const inProcessEtcd = (url: string): InProcessEtcd | undefined => running.get(url);

/** Registers an etcd for `inProcessEtcd`. The result unregisters it. */
export function announce(url: string, etcd: InProcessEtcd): () => void {
  running.set(url, etcd);
  return () => {
    if (running.get(url) === etcd) running.delete(url);
  };
}
