import { Compare_CompareResult, Compare_CompareTarget, type Compare } from '@apichain/etcd-api/etcdserverpb';
import type { KeyValue } from '@apichain/etcd-api/mvccpb';
import { keyRange } from '../mvcc/key-range.ts';
import type { MvccStore } from '../mvcc/mvcc-store.ts';
import { noBytes, noLease } from '../mvcc/version.ts';

const { VERSION, CREATE, MOD, VALUE, LEASE } = Compare_CompareTarget;
const { EQUAL, GREATER, LESS, NOT_EQUAL } = Compare_CompareResult;

/** The values that comparisons use for a key that does not exist. */
const absent: KeyValue = {
  key: noBytes,
  createRevision: 0,
  modRevision: 0,
  version: 0,
  value: noBytes,
  lease: noLease,
};

const compareIds = (a: string, b: string): number => {
  const difference = BigInt(a) - BigInt(b);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
};

const differences: Readonly<Record<number, (kv: KeyValue, compare: Compare) => number>> = {
  [VERSION]: (kv, { version = 0 }) => kv.version - version,
  [CREATE]: (kv, { createRevision = 0 }) => kv.createRevision - createRevision,
  [MOD]: (kv, { modRevision = 0 }) => kv.modRevision - modRevision,
  [VALUE]: (kv, { value = noBytes }) => Buffer.compare(kv.value, value),
  [LEASE]: (kv, { lease = noLease }) => compareIds(kv.lease, lease),
};

const verdicts: Readonly<Record<number, (difference: number) => boolean>> = {
  [EQUAL]: (difference) => difference === 0,
  [NOT_EQUAL]: (difference) => difference !== 0,
  [GREATER]: (difference) => difference > 0,
  [LESS]: (difference) => difference < 0,
};

function holdsFor(kv: KeyValue, compare: Compare): boolean {
  // Like etcd, which accepts an unknown target or result: the difference is 0 and the comparison holds.
  const difference = differences[compare.target]?.(kv, compare) ?? 0;
  return verdicts[compare.result]?.(difference) ?? true;
}

/** Whether the comparison holds at `revision` for every key of its range. */
export function holds(store: MvccStore, compare: Compare, revision: number): boolean {
  let found = false;
  let result = true;
  store.visit(keyRange(compare.key, compare.rangeEnd), revision, ({ kv }) => {
    found = true;
    result = holdsFor(kv, compare);
    return result;
  });
  // The value of a missing key equals nothing, not even the empty value.
  return found ? result : compare.target !== VALUE && holdsFor(absent, compare);
}
