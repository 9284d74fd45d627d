/**
 * Connects a client to an embedded etcd in the same process, without a connection and without the gRPC library. In a separate module, so that a
 * client that only checks for such an etcd does not load the store.
 */

export { EtcdServerError } from './etcd-server-error.ts';

/** The API of an embedded etcd in this process. A rejected call throws EtcdServerError. */
export interface InProcessEtcd {
  /** `path` is the gRPC path, e.g. `/etcdserverpb.KV/Txn`; request and answer are encoded messages. */
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
  /** Stops the answers until `resume`, except those already in transit. */
  pause(): void;
  resume(): void;
  cancel(): void;
}

const running = new Map<string, InProcessEtcd>();

/** The embedded etcd of this process with this URL, if it was started with `inProcess`. */
export const inProcessEtcd = (url: string): InProcessEtcd | undefined => running.get(url);

/** Registers an etcd for `inProcessEtcd`. The result unregisters it. */
export function announce(url: string, etcd: InProcessEtcd): () => void {
  running.set(url, etcd);
  return () => {
    if (running.get(url) === etcd) running.delete(url);
  };
}
