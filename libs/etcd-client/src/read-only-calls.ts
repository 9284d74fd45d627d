import type { TxnRequest } from '@apichain/etcd-api/etcdserverpb';

/** A call that would change an etcd that was opened read-only. It was not sent. */
export class ReadOnlyError extends Error {
  override readonly name = 'ReadOnlyError';
  constructor(call: string) {
    super(`etcd is opened read-only: ${call} was not sent`);
  }
}

/** Throws ReadOnlyError unless the transaction only reads, whichever branch etcd takes. */
export function requireReads({ success, failure }: TxnRequest): void {
  for (const operation of [...success, ...failure])
    if (operation.requestRange === undefined) throw new ReadOnlyError('a transaction that writes');
}
