import { RangeRequest_SortOrder, RangeRequest_SortTarget, type RangeRequest } from '@apichain/etcd-api/etcdserverpb';
import type { KeyValue } from '@apichain/etcd-api/mvccpb';
import { compacted, emptyKey, futureRevision, invalidSortOption } from '../etcd-server-error.ts';
import { inMemory } from '../mvcc/former-values.ts';
import { keyRange } from '../mvcc/key-range.ts';
import type { MvccStore } from '../mvcc/mvcc-store.ts';
import { noBytes } from '../mvcc/version.ts';

const { NONE, DESCEND } = RangeRequest_SortOrder;
const { KEY, VERSION, CREATE, MOD, VALUE } = RangeRequest_SortTarget;

/** A RangeResponse without its header. */
export interface RangeResult {
  kvs: KeyValue[];
  more: boolean;
  /** The number of all keys in the range, including those that `limit` and the revision bounds exclude from `kvs`. */
  count: number;
}

const comparators: Readonly<Record<number, (a: KeyValue, b: KeyValue) => number>> = {
  [KEY]: (a, b) => Buffer.compare(a.key, b.key),
  [VERSION]: (a, b) => a.version - b.version,
  [CREATE]: (a, b) => a.createRevision - b.createRevision,
  [MOD]: (a, b) => a.modRevision - b.modRevision,
  [VALUE]: (a, b) => Buffer.compare(a.value, b.value),
};

/** Throws EtcdServerError for a request that is invalid regardless of the store's contents. */
export function checkRangeRequest(request: RangeRequest): void {
  if (request.key.length === 0) throw emptyKey();
  const { sortOrder, sortTarget } = request;
  if (sortOrder < NONE || sortOrder > DESCEND || sortTarget < KEY || sortTarget > VALUE) throw invalidSortOption();
}

/** Throws EtcdServerError when `revision` is compacted or does not exist yet. */
export function checkRevision(store: MvccStore, revision: number, current: number): void {
  if (revision > current) throw futureRevision();
  if (revision !== 0 && revision < store.compactRevision) throw compacted();
}

const isBounded = (request: RangeRequest) =>
  request.minModRevision !== 0 ||
  request.maxModRevision !== 0 ||
  request.minCreateRevision !== 0 ||
  request.maxCreateRevision !== 0;

function isWithinBounds(request: RangeRequest, { modRevision, createRevision }: KeyValue): boolean {
  const { minModRevision, maxModRevision, minCreateRevision, maxCreateRevision } = request;
  return (
    (maxModRevision === 0 || modRevision <= maxModRevision) &&
    (minModRevision === 0 || modRevision >= minModRevision) &&
    (maxCreateRevision === 0 || createRevision <= maxCreateRevision) &&
    (minCreateRevision === 0 || createRevision >= minCreateRevision)
  );
}

function sort(kvs: KeyValue[], { sortOrder, sortTarget }: RangeRequest): void {
  // Keys are already in ascending order. With any other target the result is sorted even when no order is requested.
  if (sortTarget === KEY && sortOrder !== DESCEND) return;
  const compare = comparators[sortTarget];
  if (compare === undefined) return;
  kvs.sort(sortOrder === DESCEND ? (a, b) => compare(b, a) : compare);
}

/**
 * Reads a range at the request's revision, or at `current` when the request has none. Throws EtcdServerError for a revision that is compacted or
 * does not exist yet.
 */
export function range(store: MvccStore, request: RangeRequest, current: number): RangeResult {
  checkRevision(store, Math.max(request.revision, 0), current);
  const revision = request.revision > 0 ? request.revision : current;
  const { limit, countOnly } = request;
  const bounded = isBounded(request);
  const inOrder =
    !bounded && (request.sortTarget === KEY || request.sortOrder === NONE) && request.sortOrder !== DESCEND;
  const wanted = countOnly ? 0 : inOrder && limit > 0 ? limit + 1 : Infinity;
  const kvs: KeyValue[] = [];
  let count = 0;
  store.visit(keyRange(request.key, request.rangeEnd), revision, ({ kv }) => {
    count++;
    if (kvs.length < wanted && (!bounded || isWithinBounds(request, kv))) kvs.push(kv);
    return true;
  });
  sort(kvs, request);
  const more = limit > 0 && kvs.length > limit;
  const page = more ? kvs.slice(0, limit) : kvs;
  return { kvs: request.keysOnly ? page.map((kv) => ({ ...kv, value: noBytes })) : page.map(inMemory), more, count };
}
