import type { RequestOp, ResponseHeader, ResponseOp, TxnRequest, TxnResponse } from '@apichain/etcd-api/etcdserverpb';
import type { MvccStore } from '../mvcc/mvcc-store.ts';
import type { WriteTxn } from '../mvcc/write-txn.ts';
import { holds } from './compare.ts';
import { deleteRange } from './delete-range.ts';
import { checkKept, checkLease, put } from './put.ts';
import { checkRevision, range } from './range.ts';

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
