import { readFile } from 'node:fs/promises';
import { claimDirectory, writeStore } from './create-data-dir.ts';
import { loadInto } from './engine/load.ts';
import { Lessor } from './lease/lessor.ts';
import { listFiles, syncDirectory } from './log/files.ts';
import { lastSequenceAfter } from './log/frame.ts';
import { lockDirectory } from './log/lock.ts';
import { readManifest, DamageError, type Manifest } from './log/manifest.ts';
import { recover, readDirectory, type RecordSink } from './log/recover.ts';
import { MvccStore } from './mvcc/mvcc-store.ts';

/**
 * Reads a data directory as a start does, including the cleanup of a write that a crash interrupted. Throws Error with a one-line message when the
 * directory is in use or damaged.
 */
export async function checkDataDir(
  directory: string,
): Promise<{ readonly records: number; readonly revision: number }> {
  const lock = lockDirectory(directory);
  let records = 0;
  let revision = 1;
  const count = (record: { readonly kind: string; readonly revision?: number }) => {
    records++;
    if (record.kind === 'head') revision = Math.max(revision, record.revision ?? 0);
  };
  try {
    await recover(directory, {
      fromCheckpoint: count,
      endCheckpoint: () => undefined,
      fromLog: (record) => {
        records++;
        if (record.kind === 'version') revision = Math.max(revision, record.version.kv.modRevision);
      },
    });
    return { records, revision };
  } finally {
    lock.release();
  }
}

/** What is wrong with a data directory, and what of it can be kept. */
export interface StoreDamage {
  /** The file, the place and the kind of damage, in one line. */
  readonly reason: string;
  /** The state of the store before the first damage. Undefined when no state can be read as a whole: a checkpoint is damaged, or nothing
   * is left. */
  readonly kept: KeptState | undefined;
}

export interface KeptState {
  /** The last revision. */
  readonly revision: number;
  /** The keys that exist at that revision. */
  readonly keys: number;
  /** The writes that are known to have been acknowledged after it, and cannot be kept. */
  readonly lostWrites: number;
}

/**
 * Reads a data directory and, when it is damaged, writes the state before the first damage to `target`, a directory that does not exist or is empty,
 * as a new store that goes on from the same revision. Nothing else is changed. `agrees` is asked before anything is written. Returns the damage, or
 * undefined when there is none, and whether `target` was written. Throws Error with a one-line message when the directory is in use, or belongs to a
 * newer version.
 */
export async function repairDataDir(options: {
  readonly directory: string;
  readonly target: string;
  readonly agrees: (damage: StoreDamage) => Promise<boolean> | boolean;
}): Promise<{ readonly damage: StoreDamage | undefined; readonly isWritten: boolean }> {
  const { directory, target, agrees } = options;
  const lock = lockDirectory(directory);
  try {
    const store = new MvccStore();
    const lessor = new Lessor();
    const damage = await readUntilDamage(directory, store, lessor);
    if (damage === undefined || !(await agrees(damage)) || damage.kept === undefined)
      return { damage, isWritten: false };
    await claimDirectory(target);
    await writeStore(target, store, lessor);
    await syncDirectory(target);
    return { damage, isWritten: true };
  } finally {
    lock.release();
  }
}

/** Fills the store with the state before the first damage. Returns the damage. */
async function readUntilDamage(directory: string, store: MvccStore, lessor: Lessor): Promise<StoreDamage | undefined> {
  let manifest: Manifest | undefined;
  let reason: string | undefined;
  try {
    manifest = await readManifest(directory);
  } catch (error) {
    reason = reasonOf(error);
  }
  // 0 until something has been read as a whole.
  let lastRead = 0;
  const sink: RecordSink = {
    ...loadInto(store, lessor),
    endWrite: (sequence) => (lastRead = sequence),
  };
  try {
    const { position } = await readDirectory(directory, sink, async () => manifest);
    lastRead = position.sequence;
  } catch (error) {
    reason ??= reasonOf(error);
  }
  if (reason === undefined) return undefined;
  if (lastRead === 0) return { reason, kept: undefined };
  const lastKnown = Math.max(manifest?.sequence ?? 0, await lastInFiles(directory));
  return {
    reason,
    kept: { revision: store.head, keys: liveKeys(store), lostWrites: Math.max(0, lastKnown - lastRead) },
  };
}

/** Throws any other error than damage. */
function reasonOf(error: unknown): string {
  if (error instanceof DamageError) return error.message;
  throw error;
}

function liveKeys(store: MvccStore): number {
  let count = 0;
  for (const { live } of store.histories()) if (live !== undefined) count++;
  return count;
}

/** The highest sequence number of a write in the log files, also behind the damage. */
async function lastInFiles(directory: string): Promise<number> {
  let last = 0;
  for (const { kind, path } of (await listFiles(directory)).files)
    if (kind === 'log') last = Math.max(last, lastSequenceAfter(await readFile(path), 0) ?? 0);
  return last;
}
