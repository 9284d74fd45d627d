import {
  Compare_CompareResult,
  Compare_CompareTarget,
  type RequestOp,
  type ResponseHeader,
  type ResponseOp,
  type TxnRequest,
  type TxnResponse,
  type Compare,
} from '@apichain/etcd-api/etcdserverpb';
import type { KeyValue } from '@apichain/etcd-api/mvccpb';
import { keyRange } from '../mvcc/key-range.ts';
import type { MvccStore } from '../mvcc/mvcc-store.ts';
import { noBytes, noLease } from '../mvcc/version.ts';
import type { WriteTxn } from '../mvcc/write-txn.ts';
import { checkRevision, range } from './range.ts';
import { deleteRange, checkKept, checkLease, put } from './writes.ts';

/** The branches that a transaction executes. All comparisons, including nested ones, are evaluated before any operation. */
export interface TxnPlan {
  readonly succeeded: boolean;
  readonly steps: readonly { readonly op: RequestOp; readonly nested: TxnPlan | undefined }[];
}

/** etcd's definition: both branches contain only ranges. */
export const isReadOnly = ({ success, failure }: TxnRequest): boolean =>
  success.every(({ requestRange }) => requestRange !== undefined) &&
  failure.every(({ requestRange }) => requestRange !== undefined);

export function planTxn(store: MvccStore, request: TxnRequest, revision: number): TxnPlan {
  const succeeded = request.compare.every((compare) => holds(store, compare, revision));
  const ops = succeeded ? request.success : request.failure;
  return {
    succeeded,
    steps: ops.map((op) => ({
      op,
      nested: op.requestTxn === undefined ? undefined : planTxn(store, op.requestTxn, revision),
    })),
  };
}

type Check = (op: RequestOp) => void;

function checkSteps(plan: TxnPlan, check: Check): void {
  for (const { op, nested } of plan.steps) {
    check(op);
    if (nested !== undefined) checkSteps(nested, check);
  }
}

/** Throws EtcdServerError when an operation of the plan cannot be executed. After this check no operation fails. */
export function checkPlan(
  store: MvccStore,
  leases: { has(id: string): boolean },
  plan: TxnPlan,
  revision: number,
): void {
  checkSteps(plan, ({ requestPut }) => {
    if (requestPut === undefined) return;
    checkKept(store, requestPut);
    checkLease(leases, requestPut);
  });
  checkSteps(plan, ({ requestRange }) => {
    if (requestRange !== undefined) checkRevision(store, requestRange.revision, revision);
  });
}

const noResponse: ResponseOp = {
  responseRange: undefined,
  responsePut: undefined,
  responseDeleteRange: undefined,
  responseTxn: undefined,
};
/** etcd sets only the revision in headers inside a transaction. */
const headerAt = (revision: number): ResponseHeader => ({ clusterId: '0', memberId: '0', revision, raftTerm: 0 });

/** The target of a plan: a store at a revision, and the write transaction, unless the plan is read-only. */
export interface TxnTarget {
  readonly store: MvccStore;
  readonly revision: number;
  readonly write: WriteTxn | undefined;
}

const revisionOf = ({ write, revision }: TxnTarget) => write?.revision ?? revision;

function runOp(target: TxnTarget, op: RequestOp, nested: TxnPlan | undefined): ResponseOp {
  const { store, write } = target;
  if (op.requestRange !== undefined) {
    const result = range(store, op.requestRange, revisionOf(target));
    return { ...noResponse, responseRange: { header: headerAt(revisionOf(target)), ...result } };
  }
  if (nested !== undefined) {
    const response = runPlan(target, nested);
    // The header of a nested transaction stays empty.
    return { ...noResponse, responseTxn: { ...response, header: headerAt(0) } };
  }
  if (write === undefined) throw new Error('a read-only transaction holds a write');
  if (op.requestPut !== undefined) {
    const prevKv = put(write, op.requestPut);
    return { ...noResponse, responsePut: { header: headerAt(write.revision), prevKv } };
  }
  if (op.requestDeleteRange !== undefined) {
    const result = deleteRange(write, op.requestDeleteRange);
    return { ...noResponse, responseDeleteRange: { header: headerAt(write.revision), ...result } };
  }
  return noResponse;
}

/** Executes a plan that has been checked. The header of the response contains only the revision. */
export function runPlan(target: TxnTarget, plan: TxnPlan): TxnResponse {
  const responses = plan.steps.map(({ op, nested }) => runOp(target, op, nested));
  return { header: headerAt(revisionOf(target)), succeeded: plan.succeeded, responses };
}

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
function holds(store: MvccStore, compare: Compare, revision: number): boolean {
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
