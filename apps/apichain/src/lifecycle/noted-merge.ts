import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Kubeconfig, writeWholeFile } from '@apichain/chain/setup';
import { isRecord } from '@apichain/meta';
import { mergeIntoFiles, namesOf, removeFromFiles, type MergedEntries } from './merged-kubeconfig.ts';

/** What a chain has added to kubeconfig files until it stops. */
interface Note {
  readonly paths: readonly string[];
  readonly added: MergedEntries;
}

const noteOf = (root: string): string => join(root, 'merged-kubeconfig.json');

/** Merges a kubeconfig into files, and notes in the data directory `root` what `removeNoted` takes away. Throws like `mergeIntoFiles`. */
export async function mergeAndNote(root: string, paths: readonly string[], config: Kubeconfig): Promise<void> {
  const note: Note = { paths, added: namesOf(config) };
  writeWholeFile(noteOf(root), `${JSON.stringify(note)}\n`, 0o600);
  await mergeIntoFiles(paths, config);
}

/** Takes away what `mergeAndNote` added, also for a chain that was killed. Throws StartupError when a file is no kubeconfig any more. */
export async function removeNoted(root: string): Promise<void> {
  const file = noteOf(root);
  if (!existsSync(file)) return;
  const note: unknown = JSON.parse(readFileSync(file, 'utf8'));
  if (isNote(note)) await removeFromFiles(note.paths, note.added);
  rmSync(file, { force: true });
}

const isNote = (value: unknown): value is Note =>
  isRecord(value) && Array.isArray(value['paths']) && isRecord(value['added']);
