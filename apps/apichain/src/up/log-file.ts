import { closeSync, openSync, writeSync } from 'node:fs';
import { errorMessage } from '@apichain/meta';

/** Returns how many of the bytes from `offset` on were written; throws Node's error. */
type WriteSync = (file: number, bytes: Buffer, offset: number) => number;

/**
 * A log that this process appends to; written at once, so that a crash loses no line. What the disk does not take is lost and counted, and
 * the log goes on by itself when the disk does: nothing that is served depends on it.
 */
export class LogFile {
  readonly #path: string;
  readonly #onProblem: (problem: string) => void;
  readonly #write: WriteSync;
  #file: number | undefined;
  /** Pieces that the disk did not take since the last one that it took. */
  #lost = 0;
  #problem = '';
  /** The last piece arrived in part: what follows begins on a line of its own. */
  #isCut = false;

  /**
   * `onProblem` is told in one line when pieces are lost, and when they are written again; `write` is the system's, but in tests. Throws Node's
   * error when the file cannot be opened.
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

  /** As the other lines: JSON. */
  #noteOfLoss(): string {
    const msg = `${this.#pieces()} lost here: ${this.#problem}`;
    return JSON.stringify({ level: 40, time: Date.now(), name: 'apichain', msg });
  }
}
