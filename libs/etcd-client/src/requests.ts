import {
  Compare_CompareResult,
  Compare_CompareTarget,
  type Compare,
  type RangeRequest,
  type RequestOp,
  type WatchCreateRequest,
  type WatchRequest,
} from '@apichain/etcd-api/etcdserverpb';

const none = Buffer.alloc(0);

/** The end of the range of all keys with this prefix. The prefix ends in `/` here, so never in 0xff. */
export function prefixEnd(prefix: Buffer): Buffer {
  const end = Buffer.from(prefix);
  const last = end.length - 1;
  end.writeUInt8(end.readUInt8(last) + 1, last);
  return end;
}

/** A linearizable Range of one key, or of the range in `options`. */
export const rangeRequest = (options: Partial<RangeRequest> & { key: Buffer }): RangeRequest => ({
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
  ...options,
});

const noOperation: RequestOp = {
  requestRange: undefined,
  requestPut: undefined,
  requestDeleteRange: undefined,
  requestTxn: undefined,
};

/** An operation of a transaction. A `revision` of 0 is the newest. */
export const rangeOp = (key: Buffer, revision = 0): RequestOp => ({
  ...noOperation,
  requestRange: rangeRequest({ key, revision }),
});
/** A put. `lease` '0' = none. */
export const putOp = (key: Buffer, value: Buffer, lease: string): RequestOp => ({
  ...noOperation,
  requestPut: { key, value, lease, prevKv: false, ignoreValue: false, ignoreLease: false },
});
export const deleteOp = (key: Buffer): RequestOp => ({
  ...noOperation,
  requestDeleteRange: { key, rangeEnd: none, prevKv: false },
});

const equal = (key: Buffer, target: Compare_CompareTarget, expected: Partial<Compare>): Compare => ({
  result: Compare_CompareResult.EQUAL,
  target,
  key,
  version: undefined,
  createRevision: undefined,
  modRevision: undefined,
  value: undefined,
  lease: undefined,
  rangeEnd: none,
  ...expected,
});

/** Compares the revision at which a key was last modified; 0 = the key does not exist. */
export const modRevisionIs = (key: Buffer, modRevision: number): Compare =>
  equal(key, Compare_CompareTarget.MOD, { modRevision });
/** Compares how often a key has been written since it was created; 0 = the key does not exist. */
export const versionIs = (key: Buffer, version: number): Compare =>
  equal(key, Compare_CompareTarget.VERSION, { version });

/** The request that creates a watch on a stream. */
export const createWatch = (
  options: Pick<WatchCreateRequest, 'key' | 'rangeEnd' | 'startRevision' | 'prevKv'>,
): WatchRequest => ({
  createRequest: { ...options, progressNotify: true, filters: [], watchId: 0, fragment: true },
  cancelRequest: undefined,
  progressRequest: undefined,
});
export const requestProgress: WatchRequest = {
  createRequest: undefined,
  cancelRequest: undefined,
  progressRequest: {},
};
