import type {
  DeleteRangeRequest,
  PutRequest,
  RangeRequest,
  RequestOp,
  WatchCreateRequest,
  WatchRequest,
} from './generated/rpc.ts';

/* Requests with etcd's defaults: the generated messages have every field. */

type WithKey<Request extends { key: Buffer }> = Partial<Request> & Pick<Request, 'key'>;

const none = Buffer.alloc(0);

/** A linearizable Range of one key at the newest revision. */
export const rangeRequest = (request: WithKey<RangeRequest>): RangeRequest => ({
  rangeEnd: none,
  limit: 0,
  revision: 0,
  sortOrder: 0,
  sortTarget: 0,
  serializable: false,
  keysOnly: false,
  countOnly: false,
  minModRevision: 0,
  maxModRevision: 0,
  minCreateRevision: 0,
  maxCreateRevision: 0,
  ...request,
});

/** A put without a lease. */
export const putRequest = (request: WithKey<PutRequest>): PutRequest => ({
  value: none,
  lease: '0',
  prevKv: false,
  ignoreValue: false,
  ignoreLease: false,
  ...request,
});

/** Deletes one key. */
export const deleteRangeRequest = (request: WithKey<DeleteRangeRequest>): DeleteRangeRequest => ({
  rangeEnd: none,
  prevKv: false,
  ...request,
});

/** An operation of a transaction; one of the members must be given. */
export const requestOp = (operation: Partial<RequestOp>): RequestOp => ({
  requestRange: undefined,
  requestPut: undefined,
  requestDeleteRange: undefined,
  requestTxn: undefined,
  ...operation,
});

/** Watches one key from now on. */
export const watchCreateRequest = (request: WithKey<WatchCreateRequest>): WatchCreateRequest => ({
  rangeEnd: none,
  startRevision: 0,
  progressNotify: false,
  filters: [],
  prevKv: false,
  watchId: 0,
  fragment: false,
  ...request,
});

/** A message of a watch stream; one of the members must be given. */
export const watchRequest = (request: Partial<WatchRequest>): WatchRequest => ({
  createRequest: undefined,
  cancelRequest: undefined,
  progressRequest: undefined,
  ...request,
});

/** The range of all keys. */
export const everyKey = { key: Buffer.from([0]), rangeEnd: Buffer.from([0]) } as const;

/** The end of the range of all keys with this prefix. */
export function prefixEnd(prefix: Buffer): Buffer {
  for (let end = prefix.length; end > 0; end--) {
    const last = prefix.readUInt8(end - 1);
    if (last < 0xff) return Buffer.from([...prefix.subarray(0, end - 1), last + 1]);
  }
  return everyKey.rangeEnd;
}
