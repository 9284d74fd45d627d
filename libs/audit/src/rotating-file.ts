import { createReadStream, createWriteStream } from 'node:fs';
import {
  chmodSync,
  closeSync,
  fstatSync,
  ftruncateSync,
  linkSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { makeDirectory } from '@apichain/meta';

interface RotationOptions {
  /** The maximum size of a file in bytes; 0 = no rotation. */
  readonly maxBytes: number;
  /** The number of days for which old files are kept; 0 = forever. */
  readonly maxAgeDays: number;
  /** The number of old files that are kept; 0 = all. */
  readonly maxBackups: number;
  /** Whether old files are gzipped. */
  readonly compress: boolean;
  /** Set when several processes append to the file. One of them, `keeper`, removes and compresses old files. */
  readonly shared?: { readonly isKeeper: boolean };
}

const dayMs = 24 * 60 * 60 * 1000;
const gz = '.gz';

/**
 * A file to which lines are appended. Before it becomes too large, it is renamed to `name-2006-01-02T15-04-05.000.ext`. File names and
 * retention rules are those of lumberjack, which writes kube-apiserver's audit log.
 *
 * Processes that share the file append whole lines, which the system does not mix. Each looks before a line whether another one has renamed the
 * file, and how large it is.
 */
export class RotatingFile {
  readonly #path: string;
  readonly #options: RotationOptions;
  readonly #onError: (error: Error) => void;
  #file: number;
  #size: number;
  /** Whether the file may end with a part of a line. */
  #isTorn = false;
  #tidying: Promise<void> = Promise.resolve();

  /** Creates the file and its directory. Throws Node's error on failure. `onError` is called when removing or compressing old files fails. */
  constructor(path: string, options: RotationOptions, onError: (error: Error) => void) {
    this.#path = path;
    this.#options = options;
    this.#onError = onError;
    makeDirectory(dirname(path), 0o700);
    this.#file = openSync(path, 'a', 0o600);
    this.#size = fstatSync(this.#file).size;
    this.#tidy();
  }

  /** Throws Error when the text exceeds the maximum file size, and Node's error when writing fails. */
  write(text: string): void {
    const bytes = Buffer.from(text);
    const { maxBytes } = this.#options;
    if (maxBytes > 0 && bytes.length > maxBytes)
      throw new Error(`write length ${bytes.length} exceeds maximum file size ${maxBytes}`);
    if (this.#options.shared !== undefined) this.#followOthers();
    if (maxBytes > 0 && this.#size > 0 && this.#size + bytes.length > maxBytes) this.#rotate();
    this.#append(bytes);
    this.#size += bytes.length;
  }

  /** Writes all bytes or, on a full disk, none: a partial line would corrupt the next one. */
  #append(bytes: Buffer): void {
    let at = 0;
    try {
      if (this.#isTorn) writeSync(this.#file, '\n');
      this.#isTorn = false;
      while (at < bytes.length) at += writeSync(this.#file, bytes, at);
    } catch (error) {
      if (at > 0) this.#takeBack();
      throw error;
    }
  }

  /** Removes a part of a line. In a file that others append to there may be lines behind it: the next line begins a new one. */
  #takeBack(): void {
    if (this.#options.shared === undefined) ftruncateSync(this.#file, this.#size);
    else this.#isTorn = true;
  }

  /** Opens the new file when another process has renamed the one that is open, and takes over its size. */
  #followOthers(): void {
    const open = fstatSync(this.#file);
    const found = statSync(this.#path, { throwIfNoEntry: false });
    if (found?.ino === open.ino && found.dev === open.dev) this.#size = open.size;
    else {
      const before = this.#file;
      this.#file = openSync(this.#path, 'a', 0o600);
      closeSync(before);
      this.#size = fstatSync(this.#file).size;
    }
  }

  #rotate(): void {
    const before = this.#file;
    const { mode } = fstatSync(before);
    const backup = this.#backupName();
    if (this.#options.shared === undefined) renameSync(this.#path, backup);
    else {
      // Unlike a renaming, this fails when another process has made a backup of this name.
      linkSync(this.#path, backup);
      rmSync(this.#path, { force: true });
    }
    try {
      this.#file = openSync(this.#path, 'a', 0o600);
    } catch (error) {
      // Writing continues in the old file, and the next line tries to rotate again.
      renameSync(backup, this.#path);
      throw error;
    }
    closeSync(before);
    chmodSync(this.#path, mode & 0o777);
    this.#size = 0;
    this.#tidy();
  }

  #backupName(): string {
    const { directory, prefix, extension } = this.#names;
    const time = new Date().toISOString().slice(0, 23).replaceAll(':', '-');
    return join(directory, `${prefix}${time}${extension}`);
  }

  get #names(): { directory: string; prefix: string; extension: string } {
    const extension = extname(this.#path);
    return { directory: dirname(this.#path), prefix: `${basename(this.#path, extension)}-`, extension };
  }

  /** Removes and compresses old files. Runs are serialized. */
  #tidy(): void {
    const { maxBackups, maxAgeDays, compress, shared } = this.#options;
    if ((maxBackups === 0 && maxAgeDays === 0 && !compress) || shared?.isKeeper === false) return;
    this.#tidying = this.#tidying.then(() => this.#tidyOnce()).catch(this.#onError);
  }

  async #tidyOnce(): Promise<void> {
    const { maxBackups, maxAgeDays, compress } = this.#options;
    const { directory } = this.#names;
    const backups = this.#backups();
    const times = [...new Set(backups.map(({ time }) => time))];
    const kept = new Set(maxBackups > 0 ? times.slice(0, maxBackups) : times);
    const oldest = maxAgeDays > 0 ? Date.now() - maxAgeDays * dayMs : 0;
    for (const { file, time } of backups) {
      const path = join(directory, file);
      if (!kept.has(time) || time < oldest) rmSync(path, { force: true });
      else if (compress && !file.endsWith(gz)) await compressFile(path);
    }
  }

  /** The old files, latest first. */
  #backups(): { readonly file: string; readonly time: number }[] {
    const { directory, prefix, extension } = this.#names;
    return readdirSync(directory)
      .flatMap((file) => {
        const name = file.endsWith(gz) ? file.slice(0, -gz.length) : file;
        if (!name.startsWith(prefix) || !name.endsWith(extension)) return [];
        const time = timeOf(name.slice(prefix.length, name.length - extension.length));
        return time === undefined ? [] : [{ file, time }];
      })
      .sort((a, b) => b.time - a.time);
  }

  /** Waits until old files are removed and compressed. */
  async close(): Promise<void> {
    await this.#tidying;
    closeSync(this.#file);
  }
}

function timeOf(text: string): number | undefined {
  const match = /^(\d{4}-\d{2}-\d{2}T\d{2})-(\d{2})-(\d{2}\.\d{3})$/.exec(text);
  if (match === null) return undefined;
  const time = Date.parse(`${match[1] ?? ''}:${match[2] ?? ''}:${match[3] ?? ''}Z`);
  return Number.isNaN(time) ? undefined : time;
}

async function compressFile(path: string): Promise<void> {
  const packed = `${path}${gz}`;
  try {
    await pipeline(createReadStream(path), createGzip(), createWriteStream(packed, { mode: 0o600 }));
  } catch (error) {
    rmSync(packed, { force: true });
    throw error;
  }
  rmSync(path, { force: true });
}
