import { createHash } from 'node:crypto';
import { bboltPages, planBbolt } from '@apichain/bbolt';
import { inTurns, pause } from '@apichain/meta';
import { BackupError } from '../backup/backup-error.ts';
import type { Engine } from '../engine/engine.ts';
import { raftTerm } from '../grpc/context.ts';
import { etcdBuckets, type SnapshotView } from './etcd-buckets.ts';

export interface SnapshotChunk {
  readonly blob: Buffer;
  /** The bytes that follow; 0 only in the last chunk. */
  readonly remaining: number;
}

/**
 * The state in memory. Collected in one turn, because a compaction would remove versions between two: one pass that copies nothing but references.
 */
function viewOf({ store, lessor, identity, commitLog }: Engine): SnapshotView {
  const versions = [];
  for (const history of store.histories()) for (const version of history.versions) versions.push(version);
  return {
    memberId: identity.memberId,
    raftTerm,
    raftIndex: commitLog.sequence,
    compactRevision: store.compactRevision,
    leases: lessor.list().map(({ id, ttl }) => ({ id, ttl })),
    versions,
  };
}

/**
 * The whole store in its current state, as the chunks of a file that etcd's tools read: a database of etcd 3.5 (bbolt), and its SHA-256. The state is
 * that of the call; the chunks are created one by one, in turns of the event loop. Ends only when all of the contents are durable.
 */
export async function* snapshotChunks(engine: Engine): AsyncGenerator<SnapshotChunk> {
  const release = engine.store.hold();
  try {
    yield* chunksOf(engine, viewOf(engine));
  } finally {
    release();
  }
}

async function* chunksOf(engine: Engine, view: SnapshotView): AsyncGenerator<SnapshotChunk> {
  const durable = engine.settle();
  // The promise may reject before it is awaited below, which throws the error.
  durable.catch(() => undefined);
  const plan = await inTurns(planBbolt(await inTurns(etcdBuckets(view))));
  const digest = createHash('sha256');
  let remaining = plan.pageCount * plan.pageSize + digestLength;
  for (const blob of bboltPages(plan)) {
    digest.update(blob);
    remaining -= blob.length;
    yield { blob, remaining };
    await pause();
  }
  await durable;
  yield { blob: digest.digest(), remaining: 0 };
}

/** A snapshot is a database, whose length is a multiple of this many bytes, followed by the SHA-256 of the database. */
const alignment = 512;
const digestLength = 32;

/** Whether a file of this length is a database as it is on disk, without a checksum. */
export const isDatabaseLength = (length: number): boolean => length % alignment === 0;

/** The database in a snapshot file. Throws BackupError unless it is complete. */
export function withoutTrailer(path: string, bytes: Buffer): Buffer {
  const body = bytes.subarray(0, -digestLength);
  const digest = createHash('sha256').update(body).digest();
  if (bytes.length % alignment !== digestLength || !digest.equals(bytes.subarray(-digestLength)))
    throw new BackupError(`${path} is not a whole snapshot: its checksum does not match`);
  return body;
}
