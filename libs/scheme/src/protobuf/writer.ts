import { ProtobufError } from './wire.ts';

const initialSize = 64 * 1024;
/** A buffer larger than this is not kept for the next message. */
const keptSize = 1024 * 1024;
const maxSize = 2 ** 31 - 1;
const maxAsciiLoop = 48;

/** A buffer that is reused, one per process. A writer takes it while it writes a message. Its old content is never read. */
let spare: Buffer | undefined;

/**
 * Writes a message from its end to its beginning, so that the length of a field is known when its header is written. Callers write fields
 * in descending order, and the last list element first.
 */
export class Writer {
  #buffer: Buffer;
  #start: number;

  constructor() {
    this.#buffer = spare ?? Buffer.allocUnsafe(initialSize);
    spare = undefined;
    this.#start = this.#buffer.length;
  }

  /** The position for `lengthSince`. */
  get position(): number {
    return this.#buffer.length - this.#start;
  }

  #reserve(size: number): number {
    if (this.#start < size) this.#grow(size);
    this.#start -= size;
    return this.#start;
  }

  #grow(size: number): void {
    const used = this.#buffer.length - this.#start;
    const needed = used + size;
    if (needed > maxSize) throw new ProtobufError('message too large');
    const grown = Buffer.allocUnsafe(Math.min(Math.max(needed, this.#buffer.length * 2), maxSize));
    this.#buffer.copy(grown, grown.length - used, this.#start);
    this.#buffer = grown;
    this.#start = grown.length - used;
  }

  varint(value: number | bigint): void {
    if (typeof value === 'bigint') {
      this.#bigVarint(BigInt.asUintN(64, value));
    } else if (value >= 0 && value < 128) {
      const at = this.#reserve(1);
      this.#buffer[at] = value;
    } else if (value < 0 || !Number.isSafeInteger(value)) {
      this.#bigVarint(BigInt.asUintN(64, BigInt(Math.trunc(Number.isFinite(value) ? value : 0))));
    } else {
      this.#numberVarint(value);
    }
  }

  #numberVarint(value: number): void {
    let size = 1;
    for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) size++;
    let at = this.#reserve(size);
    let rest = value;
    for (; rest >= 128; rest = Math.floor(rest / 128)) this.#buffer[at++] = (rest % 128) | 128;
    this.#buffer[at] = rest;
  }

  #bigVarint(value: bigint): void {
    let size = 1;
    for (let rest = value; rest >= 128n; rest >>= 7n) size++;
    let at = this.#reserve(size);
    let rest = value;
    for (; rest >= 128n; rest >>= 7n) this.#buffer[at++] = Number(rest & 127n) | 128;
    this.#buffer[at] = Number(rest);
  }

  tag(field: number, wireType: number): void {
    this.varint(field * 8 + wireType);
  }

  double(value: number): void {
    const at = this.#reserve(8);
    this.#buffer.writeDoubleLE(value, at);
  }

  /** Writes the length of the data written since `mark`, before that data. */
  lengthSince(mark: number): void {
    this.varint(this.position - mark);
  }

  string(text: string): void {
    const { length } = text;
    if (length <= maxAsciiLoop && this.#ascii(text)) {
      this.varint(length);
      return;
    }
    const size = Buffer.byteLength(text);
    // #reserve may replace the buffer, so it must run before the buffer is accessed.
    const at = this.#reserve(size);
    this.#buffer.write(text, at, size, 'utf8');
    this.varint(size);
  }

  #ascii(text: string): boolean {
    const { length } = text;
    const at = this.#reserve(length);
    const buffer = this.#buffer;
    for (let i = 0; i < length; i++) {
      const code = text.charCodeAt(i);
      if (code > 127) {
        this.#start += length;
        return false;
      }
      buffer[at + i] = code;
    }
    return true;
  }

  bytes(bytes: Uint8Array): void {
    this.raw(bytes);
    this.varint(bytes.length);
  }

  /** Bytes without a length prefix. */
  raw(bytes: Uint8Array): void {
    const at = this.#reserve(bytes.length);
    this.#buffer.set(bytes, at);
  }

  base64(text: string): void {
    this.bytes(Buffer.from(text, 'base64'));
  }

  /** A copy of the written message. The writer must not be used afterwards. */
  finish(): Buffer {
    const out = Buffer.from(this.#buffer.subarray(this.#start));
    if (this.#buffer.length <= keptSize) spare = this.#buffer;
    return out;
  }
}
