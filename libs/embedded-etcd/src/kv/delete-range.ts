import type { DeleteRangeRequest } from '@apichain/etcd-api/etcdserverpb';
import type { KeyValue } from '@apichain/etcd-api/mvccpb';
import { emptyKey } from '../etcd-server-error.ts';
import { keyRange } from '../mvcc/key-range.ts';
import type { WriteTxn } from '../mvcc/write-txn.ts';

/** Throws EtcdServerError for a request that is invalid regardless of the store's contents. */
export function checkDeleteRequest(request: DeleteRangeRequest): void {
  if (request.key.length === 0) throw emptyKey();
}

/** Deletes the range. Returns the number of deleted keys and, if requested, their previous states. */
export function deleteRange(txn: WriteTxn, request: DeleteRangeRequest): { deleted: number; prevKvs: KeyValue[] } {
  const previous = txn.delete(keyRange(request.key, request.rangeEnd));
  return { deleted: previous.length, prevKvs: request.prevKv ? previous.map(({ kv }) => kv) : [] };
}
