import type { RequestOp, TxnRequest } from '@apichain/etcd-api/etcdserverpb';
import { duplicateKey, emptyKey, keyNotFound, tooManyOps } from '../etcd-server-error.ts';
import { includes, keyOf, type KeyRange } from '../mvcc/key-range.ts';
import { checkDeleteRequest, checkPutRequest } from './writes.ts';
import { checkRangeRequest } from './range.ts';

/** The default of etcd's --max-txn-ops. */
const maxTxnOps = 128;

function checkOp(op: RequestOp, allowed: number): void {
  if (op.requestRange !== undefined) checkRangeRequest(op.requestRange);
  else if (op.requestPut !== undefined) checkPutRequest(op.requestPut);
  else if (op.requestDeleteRange !== undefined) checkDeleteRequest(op.requestDeleteRange);
  else if (op.requestTxn !== undefined) checkShape(op.requestTxn, allowed);
  else throw keyNotFound();
}

function checkShape(request: TxnRequest, allowed: number): void {
  const operations = Math.max(request.compare.length, request.success.length, request.failure.length);
  if (operations > allowed) throw tooManyOps();
  if (request.compare.some(({ key }) => key.length === 0)) throw emptyKey();
  for (const op of request.success) checkOp(op, allowed - operations);
  for (const op of request.failure) checkOp(op, allowed - operations);
}

interface Writes {
  readonly puts: Set<string>;
  readonly deletes: KeyRange[];
}

/** Adds a put of a branch. Throws when a delete or another put of this level also writes the key; puts in `exclusive` are allowed. */
function addPut({ puts, deletes }: Writes, key: string, exclusive?: ReadonlySet<string>): void {
  if (puts.has(key) && exclusive?.has(key) !== true) throw duplicateKey();
  if (deletes.some((range) => includes(range, key))) throw duplicateKey();
  puts.add(key);
}

function addNested(writes: Writes, request: TxnRequest): void {
  const whenTrue = writesOf(request.success);
  const whenFalse = writesOf(request.failure);
  for (const key of whenTrue.puts) addPut(writes, key);
  // Only one of the two branches runs, so they may write the same key.
  for (const key of whenFalse.puts) addPut(writes, key, whenTrue.puts);
  writes.deletes.push(...whenTrue.deletes, ...whenFalse.deletes);
}

/** Collects the writes of a branch. Throws when two of them may write the same key in one revision. */
function writesOf(ops: readonly RequestOp[]): Writes {
  const writes: Writes = { puts: new Set(), deletes: [] };
  for (const { requestDeleteRange: request } of ops) {
    if (request === undefined) continue;
    const end = request.rangeEnd.length === 0 ? undefined : keyOf(request.rangeEnd);
    writes.deletes.push({ start: keyOf(request.key), end });
  }
  for (const { requestTxn } of ops) if (requestTxn !== undefined) addNested(writes, requestTxn);
  for (const { requestPut } of ops) if (requestPut !== undefined) addPut(writes, keyOf(requestPut.key));
  return writes;
}

/** Throws EtcdServerError for a transaction that is invalid regardless of the store's contents. */
export function checkTxnRequest(request: TxnRequest): void {
  checkShape(request, maxTxnOps);
  writesOf(request.success);
  writesOf(request.failure);
}
