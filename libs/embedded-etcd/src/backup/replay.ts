import { EtcdServerError } from '@apichain/etcd-api';
import {
  DeleteRangeRequest,
  LeaseGrantRequest,
  LeaseRevokeRequest,
  PutRequest,
  TxnRequest,
} from '@apichain/etcd-api/etcdserverpb';
import { Engine } from '../engine/engine.ts';
import { loadContents, takeContents, type StoreContents } from '../engine/contents.ts';
import { newIdentity } from '../log/recover.ts';
import { compacted } from '../etcd-server-error.ts';
import { deleteRange, checkKept, checkLease, put } from '../kv/writes.ts';
import { checkPlan, planTxn, runPlan } from '../kv/txn.ts';
import { Lessor } from '../lease/lessor.ts';
import { memoryLog } from '../log/commit-log.ts';
import { MvccStore } from '../mvcc/mvcc-store.ts';
import { ProtobufReader } from './protobuf-reader.ts';
import type { RaftEntry } from './wal.ts';

type Apply = (engine: Engine, request: Buffer) => Promise<unknown>;

const applyTxn: Apply = (engine, bytes) =>
  engine.write((write) => {
    const { store, lessor } = engine;
    const plan = planTxn(store, TxnRequest.decode(bytes), store.head);
    checkPlan(store, lessor, plan, store.head);
    runPlan({ store, revision: store.head, write }, plan);
  });

/** The requests that change keys and leases, by their field in etcdserverpb.InternalRaftRequest. */
const requests = new Map<number, Apply>([
  [
    4,
    (engine, bytes) =>
      engine.write((txn) => {
        const request = PutRequest.decode(bytes);
        checkLease(engine.lessor, request);
        checkKept(engine.store, request);
        put(txn, request);
      }),
  ],
  [5, (engine, bytes) => engine.write((txn) => deleteRange(txn, DeleteRangeRequest.decode(bytes)))],
  [6, applyTxn],
  [
    8,
    (engine, bytes) => {
      const { ID, TTL } = LeaseGrantRequest.decode(bytes);
      return engine.grant(ID, TTL);
    },
  ],
  [9, (engine, bytes) => engine.revoke(LeaseRevokeRequest.decode(bytes).ID)],
]);

/** A request of etcd's former API, which keeps no keys of this one. Its other fields have other meanings. */
const v2Field = 2;
const alarmField = 10;
const authEnableField = 1_000;

interface Request {
  readonly field: number;
  readonly bytes: Buffer;
}

/** The request in an entry, or undefined when it changes neither keys nor leases. */
function requestOf({ type, data }: RaftEntry): Request | undefined {
  if (type !== 0) return undefined;
  let found: Request | undefined;
  const reader = new ProtobufReader(data);
  for (let field = reader.nextField(); field !== 0; field = reader.nextField()) {
    if (field === v2Field) return undefined;
    if (requests.has(field) || field === alarmField || field === authEnableField)
      found = { field, bytes: reader.bytes() };
    else reader.skip();
  }
  return found;
}

/** Whether an entry may change keys or leases. */
export const isChange = (entry: RaftEntry): boolean => requestOf(entry) !== undefined;

/** Whether an entry was applied. One that etcd refused, e.g. a put with a lease that is gone, changes nothing, here as there. */
async function apply(engine: Engine, { field, bytes }: Request): Promise<boolean> {
  const work = requests.get(field);
  // From here on, users or an alarm decide which requests take effect.
  if (work === undefined) return false;
  try {
    await work(engine, bytes);
  } catch (error) {
    if (!(error instanceof EtcdServerError)) throw error;
    // A transaction reads a revision that the contents do not have: whether etcd refused it is unknown.
    return error.details !== compacted().details;
  }
  return true;
}

/**
 * Applies the entries of a raft log to contents, as etcd does when it starts. Returns the resulting contents and the number of entries that were applied:
 * it is lower than that of all entries if one of them cannot be understood here.
 */
export async function replay(
  contents: StoreContents,
  entries: readonly RaftEntry[],
): Promise<{ contents: StoreContents; applied: number }> {
  if (entries.length === 0) return { contents, applied: 0 };
  const store = new MvccStore();
  const lessor = new Lessor();
  loadContents(store, lessor, contents);
  const engine = await Engine.open({
    identity: newIdentity(),
    store,
    lessor,
    openLog: () => Promise.resolve(memoryLog()),
    quotaBytes: Infinity,
    expireLeases: false,
  });
  let applied = 0;
  try {
    for (const entry of entries) {
      const request = requestOf(entry);
      if (request !== undefined && !(await apply(engine, request))) break;
      applied++;
    }
    return { contents: takeContents(engine), applied };
  } finally {
    await engine.close();
  }
}
