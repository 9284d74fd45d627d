import { type FSWatcher, readdirSync, statSync, watch } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { errorMessage } from '@apichain/meta';

/**
 * Tells that something in files and folders may have changed. Watched are folders, because an editor that replaces a file leaves a watch of the file
 * itself with the old one. One watch for each folder, because a recursive one of Node misses files in folders that were just made.
 */
export class WatchedFolders {
  readonly #paths: readonly string[];
  readonly #recursive: boolean;
  readonly #onChange: () => void;
  readonly #onProblem: (problem: string) => void;
  readonly #watchers = new Map<string, FSWatcher>();
  #wanted: ReadonlyMap<string, ReadonlySet<string> | 'all'> = new Map();

  /** `onProblem` is called with a line when a folder cannot be watched. */
  constructor(
    paths: readonly string[],
    options: { recursive: boolean; onChange: () => void; onProblem: (problem: string) => void },
  ) {
    this.#paths = paths.map((path) => resolve(path));
    this.#recursive = options.recursive;
    this.#onChange = options.onChange;
    this.#onProblem = options.onProblem;
  }

  /** Watches the folders that are there now. To be called before the files are read, so that no change is missed. */
  refresh(): void {
    this.#wanted = this.#folders();
    for (const folder of this.#watchers.keys()) if (!this.#wanted.has(folder)) this.#forget(folder);
    for (const folder of this.#wanted.keys()) if (!this.#watchers.has(folder)) this.#watch(folder);
  }

  close(): void {
    for (const folder of this.#watchers.keys()) this.#forget(folder);
  }

  /** The folders to watch, and the names in them that count. */
  #folders(): ReadonlyMap<string, ReadonlySet<string> | 'all'> {
    const folders = new Map<string, Set<string> | 'all'>();
    for (const path of this.#paths) {
      for (const folder of isFolder(path) ? [path, ...(this.#recursive ? foldersIn(path) : [])] : [])
        folders.set(folder, 'all');
      // The folder in which the path may be replaced, or made once more when it is gone.
      let name = path;
      while (!isFolder(dirname(name))) name = dirname(name);
      const parent = dirname(name);
      const names = folders.get(parent);
      if (names !== 'all') folders.set(parent, new Set([...(names ?? []), basename(name)]));
    }
    return folders;
  }

  #watch(folder: string): void {
    try {
      const watcher = watch(folder, (_, name) => {
        const names = this.#wanted.get(folder);
        if (name !== null && names !== undefined && names !== 'all' && !names.has(name)) return;
        // What is made in the place of a folder that is gone is watched anew.
        if (name === basename(folder)) this.#forget(folder);
        this.#onChange();
      });
      watcher.on('error', () => {
        this.#forget(folder);
        this.#onChange();
      });
      this.#watchers.set(folder, watcher);
    } catch (error) {
      this.#onProblem(`${folder} cannot be watched: ${errorMessage(error)}`);
    }
  }

  #forget(folder: string): void {
    this.#watchers.get(folder)?.close();
    this.#watchers.delete(folder);
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** All folders below a folder. */
const foldersIn = (path: string): string[] =>
  readdirSync(path, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name));
