import type { PutRequest, DeleteRangeRequest } from '@apichain/etcd-api/etcdserverpb';
import type { KeyValue } from '@apichain/etcd-api/mvccpb';
import { emptyKey, keyNotFound, leaseNotFound, leaseProvided, valueProvided } from '../etcd-server-error.ts';
import { keyOf, keyRange } from '../mvcc/key-range.ts';
import type { MvccStore } from '../mvcc/mvcc-store.ts';
import { noBytes, noLease } from '../mvcc/version.ts';
import type { WriteTxn } from '../mvcc/write-txn.ts';

/** Throws EtcdServerError for a request that is invalid regardless of the store's contents. */
export function checkPutRequest(request: PutRequest): void {
  if (request.key.length === 0) throw emptyKey();
  if (request.ignoreValue && request.value.length > 0) throw valueProvided();
  if (request.ignoreLease && request.lease !== noLease) throw leaseProvided();
}

/** Throws EtcdServerError when the lease of the request does not exist. */
export function checkLease(leases: { has(id: string): boolean }, { lease }: PutRequest): void {
  if (lease !== noLease && !leases.has(lease)) throw leaseNotFound();
}

/** Throws EtcdServerError when the request keeps the value or lease of a key that does not exist. */
export function checkKept(store: MvccStore, request: PutRequest): void {
  const keepsSomething = request.ignoreValue || request.ignoreLease;
  if (keepsSomething && store.get(keyOf(request.key))?.live === undefined) throw keyNotFound();
}

/** Puts the key. Returns its previous state if requested. */
export function put(txn: WriteTxn, request: PutRequest): KeyValue | undefined {
  const { store } = txn;
  const key = keyOf(request.key);
  const history = store.get(key);
  const previous = history?.live?.kv;
  const value = request.ignoreValue ? (previous?.value ?? noBytes) : store.keep(request.value);
  const lease = request.ignoreLease ? (previous?.lease ?? noLease) : request.lease;
  txn.put(history?.bytes ?? store.keep(request.key), value, lease, key);
  return request.prevKv ? previous : undefined;
}

/** Throws EtcdServerError for a request that is invalid regardless of the store's contents. */
export function checkDeleteRequest(request: DeleteRangeRequest): void {
  if (request.key.length === 0) throw emptyKey();
}

/** Deletes the range. Returns the number of deleted keys and, if requested, their previous states. */
export function deleteRange(txn: WriteTxn, request: DeleteRangeRequest): { deleted: number; prevKvs: KeyValue[] } {
  const previous = txn.delete(keyRange(request.key, request.rangeEnd));
  return { deleted: previous.length, prevKvs: request.prevKv ? previous.map(({ kv }) => kv) : [] };
}
