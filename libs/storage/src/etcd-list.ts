import type { RangeResponse } from '@apichain/etcd-api/etcdserverpb';
import type { KeyValue } from '@apichain/etcd-api/mvccpb';
import { type EtcdConnection, isCompacted, isFutureRevision, prefixEnd } from '@apichain/etcd-client';
import { inTurns, newTooLargeResourceVersion, pause, newResourceExpired, StatusError } from '@apichain/meta';
import { encodeContinue } from './continue-token.ts';
import { largeListBytes, whenAdmitted, type AdmitLargeList, type AwaitingPlace } from './large-list.ts';
import type { ListPlan } from './list-plan.ts';
import type { SelectionPredicate, StoredList } from './storage.ts';
import type { EncodedObject } from './stored-object.ts';

const expiredContinue =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';

/**
 * 410 Expired for a list whose revision has been compacted. A continued list gets a token that continues at `start` with the newest state
 * (k8s.io/apiserver/pkg/storage/etcd3/errors.go).
 */
function expiredList(continued: boolean, start: string): StatusError {
  if (!continued) return newResourceExpired('The resourceVersion for the provided list is too old.');
  const { status } = newResourceExpired(expiredContinue);
  const token = encodeContinue(start.replace(/\0$/, ''), '', -1);
  return new StatusError({ ...status, metadata: { continue: token } });
}

export interface EtcdListRequest {
  readonly connection: Pick<EtcdConnection, 'prefix' | 'range' | 'currentRevision'>;
  /** With its trailing slash, without the prefix. */
  readonly directory: string;
  /** Limits the list to the object of this name in the directory. */
  readonly name?: string;
  readonly plan: ListPlan;
  readonly predicate: SelectionPredicate;
  readonly read: (kv: KeyValue) => Promise<EncodedObject>;
  readonly admit?: AdmitLargeList;
  /** Retry-After for a revision that does not exist yet, in seconds. Default: 1. */
  readonly retryAfter?: number;
}

/** A list that was read from etcd. */
export interface EtcdList extends StoredList {
  readonly items: readonly EncodedObject[];
}

/** The most objects of a page. */
const maxPage = 10_000;
/** The objects of the first page, whose size is not known. Lists that wait for a place have read it: few objects, because they may be large. */
const firstPage = 4;
/** The bytes that a page should have: a response from etcd is decoded in one step. */
const pageBytes = 8 * 1024 * 1024;
/** A page has at most this many times the objects of the one before, because the next objects may be larger. */
const pageGrowth = 8;
const zero = Buffer.from([0]);
/** The upper bound of an int64; requests to etcd cannot contain more. */
const maxRevision = 2 ** 63;

/** Reads one page of a directory from `start` on, at `revision` (0 = the newest, linearizably). Throws the StatusErrors of a list. */
async function readPage(
  { connection, plan, retryAfter }: EtcdListRequest,
  page: { start: Buffer; end: Buffer; limit: number; revision: number },
): Promise<RangeResponse> {
  const future = async () => newTooLargeResourceVersion(page.revision, await connection.currentRevision(), retryAfter);
  if (page.revision >= maxRevision) throw await future();
  try {
    return await connection.range({ key: page.start, rangeEnd: page.end, limit: page.limit, revision: page.revision });
  } catch (error) {
    if (isCompacted(error)) throw expiredList(plan.continued, plan.start);
    if (isFutureRevision(error)) throw await future();
    throw error;
  }
}

function checkFreshness({ plan: { freshness }, retryAfter }: EtcdListRequest, revision: number): void {
  if (freshness.kind === 'notOlderThan' && revision < freshness.revision) {
    throw newTooLargeResourceVersion(freshness.revision, revision, retryAfter);
  }
}

/**
 * Lists a directory in pages of one revision, whose sizes follow from those of the objects. With a limit, continues until that many objects match.
 * The continue token points behind the last object returned (k8s.io/apiserver/pkg/storage/etcd3/store.go).
 */
export const listFromEtcd = (request: EtcdListRequest): Promise<EtcdList> => whenAdmitted(() => tryList(request));

async function tryList(request: EtcdListRequest): Promise<EtcdList | AwaitingPlace> {
  const { connection, directory, plan, predicate, name = '' } = request;
  const base = Buffer.from(connection.prefix + directory + name);
  // With a name, the range contains only that key: the key plus a zero byte is its direct successor.
  const end = name === '' ? prefixEnd(base) : Buffer.concat([base, zero]);
  const items: EncodedObject[] = [];
  let bytes = 0;
  let start = plan.start === '' ? base : Buffer.concat([base, Buffer.from(plan.start)]);
  let revision = plan.freshness.kind === 'exact' ? plan.freshness.revision : 0;
  let wanted = plan.limit === 0 ? maxPage : plan.limit;
  let bySize = firstPage;
  for (;;) {
    const limit = Math.min(wanted, bySize);
    const page = await readPage(request, { start, end, limit, revision });
    if (revision === 0) {
      revision = page.header?.revision ?? 0;
      checkFreshness(request, revision);
    }
    for (const [i, kv] of page.kvs.entries()) {
      const rest = pause();
      if (rest !== undefined) await rest;
      const object = await request.read(kv);
      if (!predicate.everything) await inTurns(object.readingAttributes());
      if (predicate.everything || predicate.matches(object.attributes)) {
        items.push(object);
        bytes += object.json.length;
      }
      if (plan.limit === 0 || items.length < plan.limit) continue;
      const more = page.more || i < page.kvs.length - 1;
      return more ? truncated(items, revision, directory, predicate, page.count - i - 1) : { items, revision };
    }
    const last = page.kvs.at(-1);
    if (!page.more || last === undefined) return { items, revision };
    const admitted = bytes > largeListBytes ? request.admit?.(undefined) : undefined;
    if (admitted !== undefined) return { admitted };
    start = Buffer.concat([last.key, zero]);
    bySize = nextPage(page.kvs);
    // Few objects match a selector: the next page may need more of them.
    if (plan.limit > 0) wanted = Math.min(wanted * 2, maxPage);
  }
}

/** How many objects of the size of these make a page. */
function nextPage(kvs: readonly KeyValue[]): number {
  const average = kvs.reduce((sum, { value }) => sum + value.length, 0) / kvs.length;
  const fitting = Math.ceil(pageBytes / Math.max(average, 1));
  return Math.min(fitting, kvs.length * pageGrowth, maxPage);
}

function truncated(
  items: readonly EncodedObject[],
  revision: number,
  directory: string,
  predicate: SelectionPredicate,
  remaining: number,
): EtcdList {
  const token = encodeContinue(items.at(-1)?.key ?? directory, directory, revision);
  return { items, revision, continue: token, ...(predicate.everything ? { remainingItemCount: remaining } : {}) };
}
