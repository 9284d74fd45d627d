import { createHash } from 'node:crypto';
import { checkpointFrames } from '../log/checkpoint.ts';
import { readCheckpoint } from '../log/recover.ts';
import type { Engine } from './engine.ts';

/** etcdctl considers a snapshot complete when it is a multiple of this many bytes followed by a checksum. */
const alignment = 512;
const digestLength = 32;

export interface SnapshotChunk {
  readonly blob: Buffer;
  /** An estimate of the bytes that follow; 0 only in the last chunk. */
  readonly remaining: number;
}

/**
 * The whole store in its current state, as the chunks of a file: the frames of a checkpoint, zeros up to a multiple of 512 bytes, and the SHA-256 of
 * all of that. Ends only when all of its contents are durable.
 */
export async function* snapshotChunks(engine: Engine): AsyncGenerator<SnapshotChunk> {
  const view = engine.view();
  const durable = engine.settle();
  // The promise may reject before it is awaited below, which throws the error.
  durable.catch(() => undefined);
  const digest = createHash('sha256');
  let length = 0;
  for (const blob of checkpointFrames(view)) {
    digest.update(blob);
    length += blob.length;
    yield { blob, remaining: digestLength };
  }
  await durable;
  const padding = Buffer.alloc((alignment - (length % alignment)) % alignment);
  digest.update(padding);
  yield { blob: Buffer.concat([padding, digest.digest()]), remaining: 0 };
}

/** Extracts the checkpoint from a snapshot file. Throws Error when the file is incomplete. */
export function checkpointOf(path: string, bytes: Buffer): Buffer {
  const body = bytes.subarray(0, -digestLength);
  const digest = createHash('sha256').update(body).digest();
  if (bytes.length % alignment !== digestLength || !digest.equals(bytes.subarray(-digestLength))) {
    throw new Error(`embedded etcd: ${path} is not a whole snapshot of an embedded etcd: its checksum does not match`);
  }
  readCheckpoint(path, body, () => undefined);
  return body;
}
