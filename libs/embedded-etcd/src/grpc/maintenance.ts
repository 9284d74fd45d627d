import type { ServerWritableStream } from '@grpc/grpc-js';
import { snapshotChunks } from '../snapshot/snapshot-chunks.ts';
import { storeHash } from '../engine/store-hash.ts';
import {
  AlarmRequest_AlarmAction,
  AlarmType,
  MaintenanceService,
  type AlarmRequest,
  type AlarmResponse,
  type DefragmentResponse,
  type HashKVRequest,
  type HashKVResponse,
  type HashResponse,
  type SnapshotRequest,
  type SnapshotResponse,
  type StatusResponse,
} from '../generated/rpc.ts';
import { unimplemented } from '../etcd-server-error.ts';
import { checkRevision } from '../kv/range.ts';
import { headerOf, raftTerm, type ServerContext } from './context.ts';
import { toServiceError, unary } from './unary.ts';

/**
 * The version of etcd's API that is implemented. Clients read it to decide which features are reliable; kube-apiserver, for example, whether a
 * progress request is answered only after all events before it.
 */
const etcdVersion = '3.5.21';

/** Resolves when the call takes more, or is cancelled. */
async function drained(call: ServerWritableStream<SnapshotRequest, SnapshotResponse>): Promise<void> {
  const settled = Promise.withResolvers<void>();
  const events = ['drain', 'cancelled', 'close'];
  for (const event of events) call.once(event, settled.resolve);
  await settled.promise;
  for (const event of events) call.off(event, settled.resolve);
}

async function sendSnapshot(context: ServerContext, call: ServerWritableStream<SnapshotRequest, SnapshotResponse>) {
  const { engine } = context;
  const header = headerOf(engine, engine.store.head);
  for await (const { blob, remaining } of snapshotChunks(engine)) {
    if (call.cancelled) return;
    const more = call.write({ header, remainingBytes: remaining, blob, version: etcdVersion });
    if (!more) await drained(call);
  }
  call.end();
}

export function statusOf({ engine }: ServerContext): StatusResponse {
  const { sequence, diskBytes, problem } = engine.commitLog;
  const { memberId } = engine.identity;
  const full = engine.isFull ? [`memberID:${memberId} alarm:NOSPACE `] : [];
  return {
    header: headerOf(engine),
    version: etcdVersion,
    dbSize: Math.max(diskBytes, engine.store.bytes),
    leader: memberId,
    raftIndex: sequence,
    raftTerm,
    raftAppliedIndex: sequence,
    errors: [...full, ...(problem === undefined ? [] : [problem])],
    dbSizeInUse: engine.store.bytes,
    isLearner: false,
  };
}

export function maintenanceService(context: ServerContext) {
  const { engine } = context;
  const header = () => headerOf(engine);
  const { memberId } = engine.identity;

  const alarm = unary(({ action }: AlarmRequest): AlarmResponse => {
    if (action === AlarmRequest_AlarmAction.ACTIVATE) throw unimplemented('Alarm', 'alarms that are raised by hand');
    // The alarm is cleared automatically when there is space again.
    return { header: header(), alarms: engine.isFull ? [{ memberID: memberId, alarm: AlarmType.NOSPACE }] : [] };
  });
  const status = unary(() => statusOf(context));
  const defragment = unary(async (): Promise<DefragmentResponse> => {
    await engine.commitLog.checkpoint();
    return { header: header() };
  });
  const hash = unary((): HashResponse => ({ header: header(), hash: storeHash(engine.store, engine.revision) }));
  const hashKv = unary(({ revision }: HashKVRequest): HashKVResponse => {
    checkRevision(engine.store, revision, engine.revision);
    const at = revision === 0 ? engine.revision : revision;
    const { compactRevision } = engine.store;
    return { header: header(), hash: storeHash(engine.store, at), compactRevision, hashRevision: at };
  });
  const snapshot = (call: ServerWritableStream<SnapshotRequest, SnapshotResponse>): void => {
    sendSnapshot(context, call).catch((error: unknown) => {
      call.emit('error', Object.assign(new Error('snapshot failed'), toServiceError(error)));
    });
  };
  return {
    definition: MaintenanceService,
    handlers: { alarm, status, defragment, hash, hashKv, snapshot } satisfies Record<
      keyof typeof MaintenanceService,
      unknown
    >,
  };
}
