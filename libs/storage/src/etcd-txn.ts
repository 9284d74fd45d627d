import type { Compare, RequestOp } from '@apichain/embedded-etcd/etcdserverpb';
import type { KeyValue } from '@apichain/embedded-etcd/mvccpb';
import type { EtcdConnection } from './etcd-client.ts';
import { deleteOp, modRevisionIs, putOp, rangeOp } from './requests.ts';

type TxnCaller = Pick<EtcdConnection, 'txn'>;

/** What a conditional write did: its revision, or else the key as it is. */
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

/** If the key does not exist, put it. `lease` '0' is none. */
export const putIfAbsent = (caller: TxnCaller, key: Buffer, value: Buffer, lease: string): Promise<TxnOutcome> =>
  commit(caller, modRevisionIs(key, 0), putOp(key, value, lease), []);

/** If the key was last modified at `revision` (0: does not exist), put it, else read it. */
export const putIfUnchanged = (
  caller: TxnCaller,
  key: Buffer,
  revision: number,
  value: Buffer,
  lease: string,
): Promise<TxnOutcome> => commit(caller, modRevisionIs(key, revision), putOp(key, value, lease), [rangeOp(key)]);

/** If the key was last modified at `revision`, delete it, else read it. */
export const deleteIfUnchanged = (caller: TxnCaller, key: Buffer, revision: number): Promise<TxnOutcome> =>
  commit(caller, modRevisionIs(key, revision), deleteOp(key), [rangeOp(key)]);
