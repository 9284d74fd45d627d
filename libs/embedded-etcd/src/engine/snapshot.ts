import { createHash } from 'node:crypto';
import { checkpointFrames } from '../log/checkpoint.ts';
import { readCheckpoint } from '../log/recover.ts';
import type { Engine } from './engine.ts';

/** etcdctl takes a snapshot for whole when its length is a multiple of this and a checksum follows. */
const alignment = 512;
const digestLength = 32;

export interface SnapshotChunk {
  readonly blob: Buffer;
  /** How many bytes follow, as far as that is known: 0 in the last one only. */
  readonly remaining: number;
}

/**
 * The whole store as it is now, as a file in pieces: the frames of a checkpoint, zeros up to a multiple of 512 bytes, and the SHA-256 of all that.
 * Ends only when all that it holds is durable.
 */
export async function* snapshotChunks(engine: Engine): AsyncGenerator<SnapshotChunk> {
  const view = engine.view();
  const durable = engine.settle();
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

/** The checkpoint in a snapshot file. Throws Error when the file is not whole. */
export function checkpointOf(path: string, bytes: Buffer): Buffer {
  const body = bytes.subarray(0, -digestLength);
  const digest = createHash('sha256').update(body).digest();
  if (bytes.length % alignment !== digestLength || !digest.equals(bytes.subarray(-digestLength))) {
    throw new Error(`embedded etcd: ${path} is not a whole snapshot of an embedded etcd: its checksum does not match`);
  }
  readCheckpoint(path, body, () => undefined);
  return body;
}
