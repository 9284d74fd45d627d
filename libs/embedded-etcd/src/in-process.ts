/**
 * The way from a client to an embedded etcd of the same process, without a connection and without the gRPC library. In a module of its own, so
 * that a client that only looks whether there is one does not load the store.
 */

export { EtcdServerError } from './etcd-server-error.ts';

/** A refused call throws EtcdServerError. */
export interface InProcessEtcd {
  /** `path` is that of gRPC, e.g. `/etcdserverpb.KV/Txn`; request and answer are encoded messages. */
  call(path: string, request: Uint8Array): Promise<Buffer>;
  openWatch(handlers: InProcessWatchHandlers): InProcessWatch;
}

/** Takes what comes over a watch of the same process. */
export interface InProcessWatchHandlers {
  /** Gets each encoded WatchResponse, never before the call that caused it has returned. */
  readonly onMessage: (response: Buffer) => void;
  /** The etcd has been closed. */
  readonly onEnd: () => void;
}

/** A stream of watches. */
export interface InProcessWatch {
  /** Sends an encoded WatchRequest. */
  write(request: Uint8Array): void;
  /** No more answers until `resume`, but for those that are on their way. */
  pause(): void;
  resume(): void;
  cancel(): void;
}

const running = new Map<string, InProcessEtcd>();

/** The embedded etcd of this process that has this URL and was started with `inProcess`. */
export const inProcessEtcd = (url: string): InProcessEtcd | undefined => running.get(url);

/** Lets `inProcessEtcd` find it; the result takes that back. */
export function announce(url: string, etcd: InProcessEtcd): () => void {
  running.set(url, etcd);
  return () => {
    if (running.get(url) === etcd) running.delete(url);
  };
}
