import type { ServerWritableStream } from '@grpc/grpc-js';
import {
  AlarmRequest_AlarmAction,
  AlarmType,
  type AlarmMember,
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
} from '@apichain/etcd-api/etcdserverpb';
import { snapshotChunks } from '../snapshot/snapshot-chunks.ts';
import { unimplemented } from '../etcd-server-error.ts';
import { checkRevision } from '../kv/range.ts';
import { headerOf, raftTerm, type ServerContext } from './context.ts';
import { toServiceError, unary } from './unary.ts';
import { crc32 } from 'node:zlib';
import { encodeRecord } from '../log/record.ts';
import type { MvccStore } from '../mvcc/mvcc-store.ts';
import { afterEveryKey } from '../mvcc/key-range.ts';

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
  const { sequence, problem } = engine.commitLog;
  const { memberId } = engine.identity;
  const alarms = engine.alarms.map((member) => `memberID:${member} alarm:NOSPACE `);
  return {
    header: headerOf(engine),
    version: etcdVersion,
    dbSize: engine.databaseSize,
    leader: memberId,
    raftIndex: sequence,
    raftTerm,
    raftAppliedIndex: sequence,
    errors: [...alarms, ...(problem === undefined ? [] : [problem])],
    dbSizeInUse: engine.store.bytes,
    isLearner: false,
  };
}

const noSpaceOf = (memberID: string): AlarmMember => ({ memberID, alarm: AlarmType.NOSPACE });

export function maintenanceService(context: ServerContext) {
  const { engine } = context;
  const header = () => headerOf(engine);

  const alarm = unary(async (request: AlarmRequest): Promise<AlarmResponse> => {
    const { action, alarm: type, memberID } = request;
    if (action === AlarmRequest_AlarmAction.GET) {
      const isWanted = type === AlarmType.NONE || type === AlarmType.NOSPACE;
      return { header: header(), alarms: (isWanted ? engine.alarms : []).map(noSpaceOf) };
    }
    if (type !== AlarmType.NOSPACE) throw unimplemented('Alarm', 'alarms other than NOSPACE');
    const changed = await engine.setAlarm(memberID, action === AlarmRequest_AlarmAction.ACTIVATE);
    const isRaised = engine.alarms.includes(memberID);
    return { header: header(), alarms: changed || isRaised ? [noSpaceOf(memberID)] : [] };
  });
  const status = unary(() => statusOf(context));
  const defragment = unary(async (): Promise<DefragmentResponse> => {
    await engine.defragment();
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

/** A checksum of all keys at `revision`. Equal contents have equal checksums; another etcd's checksum is a different number. */
function storeHash(store: MvccStore, revision: number): number {
  let hash = 0;
  store.visit({ start: '', end: afterEveryKey }, revision, (version) => {
    hash = crc32(encodeRecord({ kind: 'version', version }), hash);
    return true;
  });
  return hash;
}
