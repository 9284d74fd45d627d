import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { hasErrorCode } from '@apichain/meta';

/** How much is read from a file at once. A line is at most this long; a longer one comes in pieces. */
const pieceBytes = 1 << 20;
const newline = 0x0a;

/** Reads lines from the end of a growing file on. It may be truncated, replaced or removed meanwhile. */
export class Tail {
  readonly #path: string;
  #offset = 0;
  #inode = 0;
  /** The beginning of a line whose end has not been written yet. */
  #rest: Buffer = Buffer.alloc(0);

  constructor(path: string) {
    this.#path = path;
  }

  /** The lines of the last MiB of the file. What is written later is for `next`. */
  last(): string[] {
    return this.#open((file, size) => {
      const from = Math.max(0, size - pieceBytes);
      this.#offset = from;
      const lines = this.#read(file, size);
      // The first line of the piece may be the end of a longer one.
      return from > 0 ? lines.slice(1) : lines;
    });
  }

  /** The whole lines that were written since, at most a MiB of them. */
  next(): string[] {
    return this.#open((file, size) => this.#read(file, size));
  }

  #open(read: (file: number, size: number) => string[]): string[] {
    let file: number;
    try {
      file = openSync(this.#path, 'r');
    } catch (error) {
      if (hasErrorCode(error, 'ENOENT')) return [];
      throw error;
    }
    try {
      const { size, ino } = fstatSync(file);
      if (ino !== this.#inode || size < this.#offset) {
        this.#offset = 0;
        this.#rest = Buffer.alloc(0);
      }
      this.#inode = ino;
      return read(file, size);
    } finally {
      closeSync(file);
    }
  }

  #read(file: number, size: number): string[] {
    const bytes = Buffer.alloc(Math.min(size - this.#offset, pieceBytes));
    const length = readSync(file, bytes, 0, bytes.length, this.#offset);
    this.#offset += length;
    const all = Buffer.concat([this.#rest, bytes.subarray(0, length)]);
    const isOneLongLine = all.length >= pieceBytes && !all.includes(newline);
    const end = isOneLongLine ? all.length : all.lastIndexOf(newline) + 1;
    this.#rest = all.subarray(end);
    return all
      .toString('utf8', 0, end)
      .split('\n')
      .filter((line) => line !== '');
  }
}
