import type { RangeRequest, RequestOp } from './etcd/generated/rpc.ts';

const none = Buffer.alloc(0);

/** A Range of one key, or of what `options` say, linearizable. */
export const rangeRequest = (options: Partial<RangeRequest> & { key: Buffer }): RangeRequest => ({
  rangeEnd: none,
  limit: 0,
  revision: 0,
  serializable: false,
  keysOnly: false,
  countOnly: false,
  minModRevision: 0,
  ...options,
});

/** The operations of a transaction. `lease` '0' is none. */
export const rangeOp = (key: Buffer): RequestOp => ({
  requestRange: rangeRequest({ key }),
  requestPut: undefined,
  requestDeleteRange: undefined,
});
export const putOp = (key: Buffer, value: Buffer, lease: string): RequestOp => ({
  requestRange: undefined,
  requestPut: { key, value, lease },
  requestDeleteRange: undefined,
});
export const deleteOp = (key: Buffer): RequestOp => ({
  requestRange: undefined,
  requestPut: undefined,
  requestDeleteRange: { key, rangeEnd: none },
});
