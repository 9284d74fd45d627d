import type { Compare, RequestOp } from '@apichain/etcd-api/etcdserverpb';
import type { KeyValue } from '@apichain/etcd-api/mvccpb';
import type { EtcdConnection } from './etcd-client.ts';
import { deleteOp, modRevisionIs, putOp, rangeOp } from './requests.ts';

type TxnCaller = Pick<EtcdConnection, 'txn'>;

/** The result of a conditional write: its revision, or the current state of the key. */
export type TxnOutcome =
  | { readonly succeeded: true; readonly revision: number }
  | { readonly succeeded: false; readonly current: KeyValue | undefined };

async function commit(
  caller: TxnCaller,
  compare: Compare,
  success: RequestOp,
  failure: readonly RequestOp[],
): Promise<TxnOutcome> {
  const response = await caller.txn({ compare: [compare], success: [success], failure: [...failure] });
  if (response.succeeded) return { succeeded: true, revision: response.header?.revision ?? 0 };
  return { succeeded: false, current: response.responses[0]?.responseRange?.kvs[0] };
}

/** Puts the key if it does not exist. `lease` '0' = none. */
export const putIfAbsent = (caller: TxnCaller, key: Buffer, value: Buffer, lease: string): Promise<TxnOutcome> =>
  commit(caller, modRevisionIs(key, 0), putOp(key, value, lease), []);

/** Puts the key if it was last modified at `revision` (0 = it does not exist), else reads it. */
export const putIfUnchanged = (
  caller: TxnCaller,
  key: Buffer,
  revision: number,
  value: Buffer,
  lease: string,
): Promise<TxnOutcome> => commit(caller, modRevisionIs(key, revision), putOp(key, value, lease), [rangeOp(key)]);

/** Deletes the key if it was last modified at `revision`, else reads it. */
export const deleteIfUnchanged = (caller: TxnCaller, key: Buffer, revision: number): Promise<TxnOutcome> =>
  commit(caller, modRevisionIs(key, revision), deleteOp(key), [rangeOp(key)]);
