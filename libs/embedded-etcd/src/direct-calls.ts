import type { InProcessEtcd, InProcessWatch, InProcessWatchHandlers } from '@apichain/etcd-api';
import { LeaseService, MaintenanceService, WatchRequest, type WatchResponse } from '@apichain/etcd-api/etcdserverpb';
import { requestTooLarge, stopped, unimplemented } from './etcd-server-error.ts';
import type { ServerContext } from './grpc/context.ts';
import { kvCalls, kvMethods } from './grpc/kv.ts';
import { grantLease } from './grpc/lease.ts';
import { statusOf } from './grpc/maintenance.ts';
import { encodeWatchResponse, openWatchStream } from './grpc/watch.ts';

interface Method<Request, Response> {
  readonly requestDeserialize: (bytes: Buffer) => Request;
  readonly responseSerialize: (response: Response) => Buffer;
}

type EncodedCall = (request: Buffer) => Promise<Buffer>;

const encoded =
  <Request, Response>(
    { requestDeserialize, responseSerialize }: Method<Request, Response>,
    work: (request: Request) => Promise<Response> | Response,
  ): EncodedCall =>
  async (bytes) =>
    responseSerialize(await work(requestDeserialize(bytes)));

/** The calls that an API server makes to its store, by path. */
function callsOf(context: ServerContext): Readonly<Record<string, EncodedCall>> {
  const kv = kvCalls(context);
  const txn = encoded(kvMethods.txn, kv.txn);
  return {
    [kvMethods.range.path]: encoded(kvMethods.range, kv.range),
    [kvMethods.txn.path]: async (bytes) => {
      if (bytes.length > context.maxRequestBytes) throw requestTooLarge();
      return txn(bytes);
    },
    [kvMethods.compact.path]: encoded(kvMethods.compact, kv.compact),
    [LeaseService.leaseGrant.path]: encoded(LeaseService.leaseGrant, (request) => grantLease(context.engine, request)),
    [MaintenanceService.status.path]: encoded(MaintenanceService.status, () => statusOf(context)),
  };
}

/** The number of undelivered responses at which the store is asked to pause. */
const maxWaiting = 64;

/** Delivers responses to a client, each in a later turn of the event loop than the one that produced it. */
class Delivery {
  readonly #onMessage: InProcessWatchHandlers['onMessage'];
  readonly #onDrained: () => void;
  readonly #waiting: WatchResponse[] = [];
  #paused = false;
  #scheduled = false;
  #full = false;
  #ended = false;

  constructor(onMessage: InProcessWatchHandlers['onMessage'], onDrained: () => void) {
    this.#onMessage = onMessage;
    this.#onDrained = onDrained;
  }

  /** Returns false when the sender must wait before it pushes more. */
  push(response: WatchResponse): boolean {
    this.#waiting.push(response);
    this.#schedule();
    this.#full = this.#waiting.length >= maxWaiting;
    return !this.#full;
  }

  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
    this.#schedule();
  }

  end(): void {
    this.#ended = true;
    this.#waiting.length = 0;
  }

  #schedule(): void {
    if (this.#scheduled || this.#paused || this.#waiting.length === 0) return;
    this.#scheduled = true;
    queueMicrotask(() => {
      this.#scheduled = false;
      this.#deliver();
    });
  }

  #deliver(): void {
    while (!this.#paused && !this.#ended) {
      const next = this.#waiting.shift();
      if (next === undefined) break;
      this.#onMessage(encodeWatchResponse(next));
    }
    if (!this.#full || this.#ended || this.#waiting.length > 0) return;
    this.#full = false;
    this.#onDrained();
  }
}

/** Creates the calls for clients in the same process. `end` ends every watch and rejects later calls. */
export function directCalls(context: ServerContext): InProcessEtcd & { end(): void } {
  const calls = callsOf(context);
  const watches = new Set<() => void>();
  let ended = false;

  const openWatch = ({ onMessage, onEnd }: InProcessWatchHandlers): InProcessWatch => {
    if (ended) throw stopped();
    const delivery = new Delivery(onMessage, () => {
      stream.drained();
    });
    const { stream, end: leaveHub } = openWatchStream(context, { send: (response) => delivery.push(response) });
    const cancel = () => {
      watches.delete(endWatch);
      delivery.end();
      leaveHub();
    };
    const endWatch = () => {
      cancel();
      onEnd();
    };
    watches.add(endWatch);
    return {
      write: (request) => {
        if (watches.has(endWatch)) stream.receive(WatchRequest.decode(request));
      },
      pause: () => {
        delivery.pause();
      },
      resume: () => {
        delivery.resume();
      },
      cancel,
    };
  };

  return {
    call: async (path, request) => {
      const call = calls[path];
      if (ended) throw stopped();
      if (call === undefined) throw unimplemented(path, 'such call without a connection');
      return call(Buffer.from(request.buffer, request.byteOffset, request.byteLength));
    },
    openWatch,
    end: () => {
      ended = true;
      for (const endWatch of [...watches]) endWatch();
    },
  };
}
