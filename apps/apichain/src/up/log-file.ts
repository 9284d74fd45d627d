import { closeSync, openSync, writeSync } from 'node:fs';
import { errorMessage } from '@apichain/meta';

/** Returns how many of the bytes from `offset` on were written. Throws Node's error. */
type WriteSync = (file: number, bytes: Buffer, offset: number) => number;

/**
 * A log file that this process appends to. Writes are synchronous, so that a crash loses no line. Entries that cannot be written are
 * dropped and counted, and logging resumes when the disk is writable again. The services do not depend on the log.
 */
export class LogFile {
  readonly #path: string;
  readonly #onProblem: (problem: string) => void;
  readonly #write: WriteSync;
  #file: number | undefined;
  /** The number of entries dropped since the last successful write. */
  #lost = 0;
  #problem = '';
  /** The last entry was written only in part, so the next one must start on a new line. */
  #isCut = false;

  /**
   * `onProblem` is called with a one-line message when entries are dropped, and when writes succeed again. `write` is the system's
   * function, except in tests. Throws Node's error when the file cannot be opened.
   */
  constructor(path: string, onProblem: (problem: string) => void, write: WriteSync = writeSync) {
    this.#path = path;
    this.#write = write;
    this.#onProblem = onProblem;
    this.#file = openSync(path, 'a', 0o600);
  }

  write(piece: string | Buffer): void {
    if (this.#file === undefined) return;
    try {
      if (this.#lost > 0) this.#append(this.#file, `${this.#isCut ? '\n' : ''}${this.#noteOfLoss()}\n`);
      if (this.#lost > 0) this.#onProblem(`${this.#path} is written again; ${this.#pieces()} lost`);
      this.#lost = 0;
      this.#append(this.#file, piece);
    } catch (error) {
      this.#problem = errorMessage(error);
      if (this.#lost++ === 0) this.#onProblem(`${this.#path} cannot be written: ${this.#problem}`);
    }
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #append(file: number, piece: string | Buffer): void {
    const bytes = Buffer.from(piece);
    for (let at = 0; at < bytes.length;) {
      at += this.#write(file, bytes, at);
      this.#isCut = at < bytes.length;
    }
  }

  #pieces(): string {
    return this.#lost === 1 ? 'one entry was' : `${this.#lost} entries were`;
  }

  /** A log entry about the dropped entries, in JSON like all lines. */
  #noteOfLoss(): string {
    const msg = `${this.#pieces()} lost here: ${this.#problem}`;
    return JSON.stringify({ level: 40, time: Date.now(), name: 'apichain', msg });
  }
}
