import type { Pieces } from '@apichain/meta';

/** Bytes that lie in many buffers and are sent as one body. They are joined one piece at a time, never as a whole. */
export class JoinedBytes {
  readonly length: number;
  readonly #start: Buffer;
  readonly #items: readonly Buffer[];
  readonly #cut: readonly number[];
  readonly #end: Buffer;

  /**
   * `items` separated by commas between `start` and `end`. `cut[i]` is the number of bytes to omit at the start of an item. Where it is not 0, an
   * opening brace replaces them.
   */
  constructor(start: Buffer, items: readonly Buffer[], cut: readonly number[], end: Buffer) {
    this.#start = start;
    this.#items = items;
    this.#cut = cut;
    this.#end = end;
    let length = start.length + end.length + Math.max(0, items.length - 1);
    for (let i = 0; i < items.length; i++) length += sizeOf(items[i], cut[i]);
    this.length = length;
  }

  /** All the bytes in one buffer. */
  toBuffer(): Buffer {
    const all = Buffer.allocUnsafe(this.length);
    let at = 0;
    for (const piece of this.pieces(all)) at += piece.length;
    return all.subarray(0, at);
  }

  /** The bytes in order, in pieces of their own. */
  *copiedPieces(): Pieces<Buffer> {
    for (const piece of this.pieces(Buffer.allocUnsafe(pieceBytes))) yield Buffer.from(piece);
  }

  /** The bytes in order. A piece may lie in `scratch`, and is valid only until the next one is requested. */
  *pieces(scratch: Buffer): Generator<Buffer> {
    let at = 0;
    const room = scratch.length;
    if (this.#start.length > room) yield this.#start;
    else at = this.#start.copy(scratch);
    for (let i = 0; i < this.#items.length; i++) {
      const item = this.#items[i] ?? nothing;
      const cut = this.#cut[i] ?? 0;
      const size = sizeOf(item, cut) + (i > 0 ? 1 : 0);
      if (at + size > room) {
        if (at > 0) yield scratch.subarray(0, at);
        at = 0;
      }
      if (i > 0) scratch[at++] = comma;
      if (cut > 0) scratch[at++] = openBrace;
      if (size <= room) at += item.copy(scratch, at, cut);
      else {
        yield scratch.subarray(0, at);
        at = 0;
        // A write encrypts all of its bytes before others are served.
        for (let from = cut; from < item.length; from += pieceBytes) yield item.subarray(from, from + pieceBytes);
      }
    }
    if (at + this.#end.length > room) {
      yield scratch.subarray(0, at);
      yield this.#end;
    } else {
      at += this.#end.copy(scratch, at);
      yield scratch.subarray(0, at);
    }
  }
}

const pieceBytes = 128 * 1024;
const comma = 0x2c;
const openBrace = 0x7b;
const nothing = Buffer.alloc(0);

const sizeOf = ({ length }: Buffer = nothing, cut = 0): number => (cut > 0 ? length - cut + 1 : length);
