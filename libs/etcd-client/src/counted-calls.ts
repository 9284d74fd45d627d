import type { RangeRequest, RangeResponse, TxnRequest, TxnResponse } from '@apichain/etcd-api/etcdserverpb';
import type { KeyRead } from './key-reader.ts';

/** The metrics of calls to etcd. Every member is optional; the caller maps the members to its own metrics. */
export interface EtcdMetrics {
  /** Returns the counter of calls to etcd for a resource (`deployments.apps`; empty = no resource). Called once for each resource. */
  etcdRequests?(resource: string): EtcdRequestCounter;
}

/** Called when a call ends. `operation` is kube-apiserver's name: get, list, listWithCount, create, update, delete. */
export type EtcdRequestCounter = (operation: string, seconds: number, failed: boolean) => void;

/** The etcd calls made for requests for objects. */
export interface ObjectCalls {
  range(request: Partial<RangeRequest> & { key: Buffer }): Promise<RangeResponse>;
  txn(request: TxnRequest): Promise<TxnResponse>;
  /** A linearizable read of one key. Reads that wait at the same time are sent in one transaction. */
  readKey(key: Buffer): Promise<KeyRead>;
}

type Counted = <T>(operation: string, work: Promise<T>) => Promise<T>;

/** Passes a result on and reports its duration to `count`. */
export const counted =
  (count: EtcdRequestCounter): Counted =>
  async (operation, work) => {
    const started = performance.now();
    let failed = true;
    try {
      const result = await work;
      failed = false;
      return result;
    } finally {
      count(operation, (performance.now() - started) / 1_000, failed);
    }
  };

/** Counts the calls by their effect on objects, under the operation names of k8s.io/apiserver/pkg/storage/etcd3. */
export const countedCalls = (calls: ObjectCalls, count: Counted): ObjectCalls => ({
  range: (request) => count(readName(request), calls.range(request)),
  txn: (request) => count(writeName(request), calls.txn(request)),
  readKey: (key) => count('get', calls.readKey(key)),
});

function readName({ rangeEnd, countOnly }: Partial<RangeRequest>): string {
  if (rangeEnd === undefined || rangeEnd.length === 0) return 'get';
  return countOnly === true ? 'listWithCount' : 'list';
}

/** A write of an object compares its key's revision; 0 = the key must not exist. */
function writeName({ compare, success }: TxnRequest): string {
  const [operation] = success;
  if (operation?.requestDeleteRange !== undefined) return 'delete';
  if (operation?.requestPut === undefined) return 'get';
  return compare[0]?.modRevision === 0 ? 'create' : 'update';
}
