import type { RangeRequest, RangeResponse, TxnRequest, TxnResponse } from '@apichain/etcd-api/etcdserverpb';
import type { KeyValue } from '@apichain/etcd-api/mvccpb';
import { rangeOp } from './requests.ts';

/** The state of a key at `revision`. */
export interface KeyRead {
  readonly kv: KeyValue | undefined;
  readonly revision: number;
}

interface Calls {
  range(request: Partial<RangeRequest> & { key: Buffer }): Promise<RangeResponse>;
  txn(request: TxnRequest): Promise<TxnResponse>;
}
interface Waiter {
  readonly key: Buffer;
  readonly resolve: (read: KeyRead) => void;
  readonly reject: (reason: unknown) => void;
}

/** Below etcd's --max-txn-ops (128). */
const maxKeysPerCall = 100;
const maxCallsInFlight = 2;

const readOf = (response: RangeResponse | undefined, revision: number): KeyRead => ({ kv: response?.kvs[0], revision });

/**
 * Linearizable reads of single keys. A single read is a Range. Reads that arrive while calls are in flight wait, and are then sent together as the
 * ranges of one read-only transaction, which costs a fraction of separate calls. Each read is sent after it was requested, so it includes every
 * write acknowledged before the request.
 */
export function createKeyReader(calls: Calls): (key: Buffer) => Promise<KeyRead> {
  const waiting: Waiter[] = [];
  let inFlight = 0;

  const readOne = async (waiter: Waiter) => {
    const response = await calls.range({ key: waiter.key });
    waiter.resolve(readOf(response, response.header?.revision ?? 0));
  };
  const readMany = async (waiters: readonly Waiter[]) => {
    const response = await calls.txn({
      compare: [],
      success: waiters.map((w) => rangeOp(w.key)),
      failure: [],
    });
    const revision = response.header?.revision ?? 0;
    waiters.forEach((w, i) => {
      w.resolve(readOf(response.responses[i]?.responseRange, revision));
    });
  };
  const run = async (waiters: readonly Waiter[]) => {
    try {
      const [first] = waiters;
      if (first !== undefined && waiters.length === 1) await readOne(first);
      else await readMany(waiters);
    } catch (error) {
      for (const w of waiters) w.reject(error);
    }
  };
  const pump = () => {
    while (inFlight < maxCallsInFlight && waiting.length > 0) {
      inFlight++;
      void run(waiting.splice(0, maxKeysPerCall)).then(() => {
        inFlight--;
        pump();
      });
    }
  };
  return (key) =>
    new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject });
      pump();
    });
}
