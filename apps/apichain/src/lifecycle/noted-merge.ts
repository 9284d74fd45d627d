import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Kubeconfig, writeWholeFile } from '@apichain/chain/setup';
import { isRecord } from '@apichain/meta';
import { mergeIntoFiles, namesOf, removeFromFiles, type MergedEntries } from './merged-kubeconfig.ts';

/** What was added to kubeconfig files for a chain until it stops. */
interface Note {
  readonly paths: readonly string[];
  readonly added: MergedEntries;
}

const noteOf = (root: string): string => join(root, 'merged-kubeconfig.json');

/**
 * Merges a kubeconfig into files, and notes in the data directory `root` what `removeNoted` takes away. Returns the path of the file with the context.
 * Throws like `mergeIntoFiles`.
 */
export async function mergeAndNote(root: string, paths: readonly string[], config: Kubeconfig): Promise<string> {
  const note: Note = { paths, added: namesOf(config) };
  const others = readNotes(root).filter((other) => JSON.stringify(other) !== JSON.stringify(note));
  writeWholeFile(noteOf(root), `${JSON.stringify([...others, note])}\n`, 0o600);
  return mergeIntoFiles(paths, config);
}

/** Takes away what `mergeAndNote` added, also for a chain that was killed. Throws StartupError when a file is no kubeconfig any more. */
export async function removeNoted(root: string): Promise<void> {
  for (const { paths, added } of readNotes(root)) await removeFromFiles(paths, added);
  rmSync(noteOf(root), { force: true });
}

function readNotes(root: string): readonly Note[] {
  const file = noteOf(root);
  const notes: unknown = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : [];
  return Array.isArray(notes) ? notes.filter(isNote) : [];
}

const isNote = (value: unknown): value is Note =>
  isRecord(value) && Array.isArray(value['paths']) && isRecord(value['added']);
