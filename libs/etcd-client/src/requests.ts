import {
  deleteRangeRequest,
  putRequest,
  rangeRequest,
  requestOp,
  watchCreateRequest,
  watchRequest,
} from '@apichain/etcd-api';
import {
  Compare_CompareResult,
  Compare_CompareTarget,
  type Compare,
  type RequestOp,
  type WatchCreateRequest,
  type WatchRequest,
} from '@apichain/etcd-api/etcdserverpb';

/** An operation of a transaction. A `revision` of 0 is the newest. */
export const rangeOp = (key: Buffer, revision = 0): RequestOp =>
  requestOp({ requestRange: rangeRequest({ key, revision }) });
/** A put. `lease` '0' = none. */
export const putOp = (key: Buffer, value: Buffer, lease: string): RequestOp =>
  requestOp({ requestPut: putRequest({ key, value, lease }) });
export const deleteOp = (key: Buffer): RequestOp => requestOp({ requestDeleteRange: deleteRangeRequest({ key }) });

const equal = (key: Buffer, target: Compare_CompareTarget, expected: Partial<Compare>): Compare => ({
  result: Compare_CompareResult.EQUAL,
  target,
  key,
  version: undefined,
  createRevision: undefined,
  modRevision: undefined,
  value: undefined,
  lease: undefined,
  rangeEnd: Buffer.alloc(0),
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
): WatchRequest =>
  watchRequest({ createRequest: watchCreateRequest({ ...options, progressNotify: true, fragment: true }) });
export const requestProgress: WatchRequest = watchRequest({ progressRequest: {} });
