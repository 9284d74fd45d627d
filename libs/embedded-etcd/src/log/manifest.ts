import { open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hasErrorCode, isContainer } from '@apichain/meta';
import { syncDirectory, writeAll } from './files.ts';

/**
 * A data directory that is damaged: acknowledged writes cannot be read, or are missing. The writes before the damage have been passed on, if the
 * checkpoint is whole.
 */
export class DamageError extends Error {
  override name = 'DamageError';
}

/**
 * Records what a data directory must contain, separately from the log. It detects a log that was emptied, truncated or removed; from the log alone,
 * the directory would look like a new store.
 */
export interface Manifest {
  /** The format of the files in the directory; a higher number belongs to a version that this one cannot read. */
  readonly format: 1;
  readonly clusterId: string;
  /** A sequence number that the log has reached: at the last start, checkpoint or close. */
  readonly sequence: number;
}

export const manifestName = 'manifest';
const newestFormat = 1;

const refuse = (path: string, what: string, remedy: string): never => {
  throw new Error(`embedded etcd: ${path} ${what}; ${remedy}`);
};

/**
 * Undefined = there is no manifest: the directory is new, or was last used by a version that wrote none. Throws Error when the manifest cannot be
 * read.
 */
export async function readManifest(directory: string): Promise<Manifest | undefined> {
  const path = join(directory, manifestName);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return undefined;
    throw error;
  }
  const { format, clusterId, sequence } = parse(path, text);
  if (typeof format === 'number' && format > newestFormat)
    refuse(path, `says that the store was written by a newer version (format ${String(format)})`, 'use that version');
  if (format !== newestFormat || typeof clusterId !== 'string' || !Number.isSafeInteger(sequence)) return damaged(path);
  return { format, clusterId, sequence: Number(sequence) };
}

const damaged = (path: string): never => {
  throw new DamageError(
    `embedded etcd: ${path} is damaged; restore it with the files beside it, or remove it when those are known to be whole (apichain doctor --repair)`,
  );
};

function parse(path: string, text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (isContainer(value)) return value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return damaged(path);
}

/** Replaces the manifest atomically and durably. */
export async function writeManifest(directory: string, manifest: Manifest): Promise<void> {
  const path = join(directory, manifestName);
  const partial = `${path}.partial`;
  try {
    const handle = await open(partial, 'w', 0o600);
    try {
      await writeAll(handle, Buffer.from(`${JSON.stringify(manifest)}\n`), 0);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
  await syncDirectory(directory);
}
