import { isUtf8 } from 'node:buffer';
import { CborError } from './cbor-error.ts';
import { halfValue } from './float-bytes.ts';
import { majorType, majorTypeNames } from './major-types.ts';

export const indefinite = 31;
const maxSafe = BigInt(Number.MAX_SAFE_INTEGER);

export const endOfInput = (): CborError => new CborError('unexpected EOF');

/**
 * Reads the parts of data items in order. It allocates memory only for bytes that exist, not for lengths that the data states, and nothing for the
 * head of an item, because a document of a few megabytes may have millions of items.
 */
export class CborReader {
  readonly #bytes: Buffer;
  #at = 0;
  /** The major type of the last head. */
  type = 0;
  /** The low five bits of the last head: 31 = indefinite length, or break. */
  info = 0;
  /** The argument of the last head: an integer, a length, a tag, or the bits of a simple value. */
  value: number | bigint = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get offset(): number {
    return this.#at;
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  /** Whether the last head is the end of an item of indefinite length. */
  get isBreak(): boolean {
    return this.type === majorType.simple && this.info === indefinite;
  }

  /** Reads a head. Throws CborError for reserved forms and at the end of the input. */
  readHead(): void {
    const first = this.#bytes[this.#at];
    if (first === undefined) throw endOfInput();
    this.#at++;
    const type = first >> 5;
    const info = first & 31;
    this.type = type;
    this.info = info;
    if (info < 24) this.value = info;
    else if (info < 28) this.value = this.#number(1 << (info - 24));
    else {
      const hasLength = type !== majorType.unsigned && type !== majorType.negative && type !== majorType.tag;
      if (info !== indefinite || !hasLength) throw this.#invalid();
      this.value = 0;
    }
  }

  #invalid(): CborError {
    return new CborError(
      `cbor: invalid additional information ${this.info} for type ${majorTypeNames[this.type] ?? ''}`,
    );
  }

  #number(size: number): number | bigint {
    const start = this.#take(size);
    if (size < 8) return this.#bytes.readUIntBE(start, size);
    const value = this.#bytes.readBigUInt64BE(start);
    return value <= maxSafe ? Number(value) : value;
  }

  /** The content of the byte or text string whose head was read, as text; chunks are joined. Throws CborError for text that is not UTF-8. */
  string(encoding: BufferEncoding): string {
    const { type, info, value } = this;
    if (info === indefinite) return this.#chunks(type).toString(encoding);
    const length = Number(value);
    const start = this.#take(length);
    if (length === 0) return '';
    const end = start + length;
    if (type === majorType.text) validText(this.#bytes.subarray(start, end));
    return this.#bytes.toString(encoding, start, end);
  }

  #chunks(type: number): Buffer {
    const chunks: Buffer[] = [];
    for (;;) {
      this.readHead();
      if (this.isBreak) return Buffer.concat(chunks);
      const name = majorTypeNames[type] ?? '';
      if (this.type !== type) {
        throw new CborError(
          `cbor: wrong element type ${majorTypeNames[this.type] ?? ''} for indefinite-length ${name}`,
        );
      }
      if (this.info === indefinite) throw new CborError(`cbor: indefinite-length ${name} chunk is not definite-length`);
      const length = Number(this.value);
      const start = this.#take(length);
      const chunk = this.#bytes.subarray(start, start + length);
      if (type === majorType.text) validText(chunk);
      chunks.push(chunk);
    }
  }

  /** The floating-point number of a head of type `simple` whose info is 25, 26 or 27. Throws CborError on NaN and infinities. */
  float(): number {
    const { info } = this;
    const start = this.#at - 2 ** (info - 24);
    const value =
      info === 25
        ? halfValue(this.#bytes.readUInt16BE(start))
        : info === 26
          ? this.#bytes.readFloatBE(start)
          : this.#bytes.readDoubleBE(start);
    if (Number.isNaN(value)) throw notAccepted('floating-point NaN');
    if (!Number.isFinite(value)) throw notAccepted('floating-point infinity');
    return value;
  }

  /** Passes over bytes, and returns where they begin. */
  #take(count: number): number {
    const start = this.#at;
    if (count > this.#bytes.length - start) throw endOfInput();
    this.#at = start + count;
    return start;
  }
}

/** The error for valid CBOR that JSON cannot express. */
export const notAccepted = (what: string): CborError =>
  new CborError(`cbor: data item of cbor type primitives is not accepted by protocol: ${what}`);

function validText(bytes: Buffer): void {
  if (!isUtf8(bytes)) throw new CborError('cbor: invalid UTF-8 string');
}
