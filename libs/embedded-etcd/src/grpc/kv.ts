import {
  KVService,
  type CompactionRequest,
  type CompactionResponse,
  type DeleteRangeRequest,
  DeleteRangeResponse,
  type PutRequest,
  PutResponse,
  type RangeRequest,
  RangeResponse,
  type TxnRequest,
  TxnResponse,
} from '@apichain/etcd-api/etcdserverpb';
import { requestTooLarge } from '../etcd-server-error.ts';
import { putCost } from '../engine/quota.ts';
import { checkTxnRequest } from '../kv/check-txn.ts';
import { checkDeleteRequest, deleteRange, checkKept, checkLease, checkPutRequest, put } from '../kv/writes.ts';
import { checkRangeRequest, range } from '../kv/range.ts';
import { checkPlan, isReadOnly, planTxn, runPlan } from '../kv/txn.ts';
import { headerOf, type ServerContext } from './context.ts';
import { encoder } from './encoder.ts';
import { unary } from './unary.ts';

/** The calls of the KV service, independent of the transport. Every call throws EtcdServerError for a request that it rejects. */
export interface KvCalls {
  readonly range: (request: RangeRequest) => RangeResponse;
  readonly put: (request: PutRequest) => Promise<PutResponse>;
  readonly deleteRange: (request: DeleteRangeRequest) => Promise<DeleteRangeResponse>;
  readonly txn: (request: TxnRequest) => Promise<TxnResponse> | TxnResponse;
  readonly compact: (request: CompactionRequest) => Promise<CompactionResponse>;
}

export function kvCalls({ engine }: ServerContext): KvCalls {
  const { store, lessor } = engine;

  const readTxn = (request: TxnRequest): TxnResponse => {
    const { revision } = engine;
    const plan = planTxn(store, request, revision);
    checkPlan(store, lessor, plan, revision);
    return { ...runPlan({ store, revision, write: undefined }, plan), header: headerOf(engine, revision) };
  };
  const writeTxn = (request: TxnRequest): Promise<TxnResponse> =>
    engine.write((write) => {
      const plan = planTxn(store, request, store.head);
      checkPlan(store, lessor, plan, store.head);
      const cost = costOf(request);
      if (cost > 0) engine.checkRoom(cost);
      const response = runPlan({ store, revision: store.head, write }, plan);
      return { ...response, header: headerOf(engine, write.revision) };
    });

  return {
    range: (request) => {
      checkRangeRequest(request);
      return { header: headerOf(engine), ...range(store, request, engine.revision) };
    },
    put: (request) => {
      checkPutRequest(request);
      return engine.write((txn) => {
        engine.checkRoom(costOfPut(request));
        // etcd checks a single put in another order than a put in a transaction.
        checkLease(lessor, request);
        checkKept(store, request);
        const prevKv = put(txn, request);
        return { header: headerOf(engine, txn.revision), prevKv };
      });
    },
    deleteRange: (request) => {
      checkDeleteRequest(request);
      return engine.write((txn) => {
        const result = deleteRange(txn, request);
        return { header: headerOf(engine, txn.revision), ...result };
      });
    },
    txn: (request) => {
      checkTxnRequest(request);
      return isReadOnly(request) ? readTxn(request) : writeTxn(request);
    },
    compact: async ({ revision }) => {
      await engine.compact(revision);
      return { header: headerOf(engine) };
    },
  };
}

const costOfPut = ({ key, value }: PutRequest): number => putCost + key.length + value.length;

/** What the quota counts for a transaction: like etcd, the more expensive branch, whichever is executed. */
function costOf({ success, failure }: TxnRequest): number {
  const costs = [success, failure].map((ops) => {
    let cost = 0;
    for (const { requestPut, requestTxn } of ops) {
      if (requestPut !== undefined) cost += costOfPut(requestPut);
      if (requestTxn !== undefined) cost += costOf(requestTxn);
    }
    return cost;
  });
  return Math.max(...costs);
}

/** A request and its encoded size in bytes. */
interface Measured<Request> {
  readonly request: Request;
  readonly bytes: number;
}
const measured =
  <Request>(decode: (bytes: Buffer) => Request) =>
  (bytes: Buffer): Measured<Request> => ({ request: decode(bytes), bytes: bytes.length });

/** The KV service, with a faster encoder for frequent responses. */
export const kvMethods = {
  ...KVService,
  range: { ...KVService.range, responseSerialize: encoder(RangeResponse) },
  put: { ...KVService.put, responseSerialize: encoder(PutResponse) },
  deleteRange: { ...KVService.deleteRange, responseSerialize: encoder(DeleteRangeResponse) },
  txn: { ...KVService.txn, responseSerialize: encoder(TxnResponse) },
};

/** Adds the size of write requests, which etcd limits. */
const definition = {
  ...kvMethods,
  put: { ...kvMethods.put, requestDeserialize: measured(KVService.put.requestDeserialize) },
  deleteRange: { ...kvMethods.deleteRange, requestDeserialize: measured(KVService.deleteRange.requestDeserialize) },
  txn: { ...kvMethods.txn, requestDeserialize: measured(KVService.txn.requestDeserialize) },
};

export function kvService(context: ServerContext) {
  const calls = kvCalls(context);
  const limited =
    <Request, Response>(work: (request: Request) => Response) =>
    ({ request, bytes }: Measured<Request>): Response => {
      if (bytes > context.maxRequestBytes) throw requestTooLarge();
      return work(request);
    };
  return {
    definition,
    handlers: {
      range: unary(calls.range),
      put: unary(limited(calls.put)),
      deleteRange: unary(limited(calls.deleteRange)),
      txn: unary(limited(calls.txn)),
      compact: unary(calls.compact),
    } satisfies Record<keyof typeof KVService, unknown>,
  };
}
