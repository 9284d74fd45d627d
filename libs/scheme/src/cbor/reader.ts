import { cborLibrary } from './cbor-library.ts';
import { CborError } from './cbor-error.ts';
import { majorType, majorTypeNames } from './major-types.ts';

/** The head of a data item. `value` is its argument: an integer, a length, a tag, or the bits of a simple value. */
export interface Head {
  readonly type: number;
  /** The low five bits: 31 = indefinite length, or break. */
  readonly info: number;
  readonly value: number | bigint;
}

export const indefinite = 31;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const maxSafe = BigInt(Number.MAX_SAFE_INTEGER);

export const endOfInput = (): CborError => new CborError('unexpected EOF');

/** Reads the parts of data items in order. It allocates memory only for bytes that exist, not for lengths that the data states. */
export class CborReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get offset(): number {
    return this.#at;
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  /** Reads a head. Throws CborError for reserved forms and at the end of the input. */
  head(): Head {
    const first = this.#take(1)[0] ?? 0;
    const type = first >> 5;
    const info = first & 31;
    if (info < 24) return { type, info, value: info };
    if (info > 27 && info < indefinite) throw this.#invalid(type, info);
    if (info !== indefinite) return { type, info, value: this.#number(info) };
    if (type === majorType.unsigned || type === majorType.negative || type === majorType.tag) {
      throw this.#invalid(type, info);
    }
    return { type, info, value: 0 };
  }

  #invalid(type: number, info: number): CborError {
    return new CborError(`cbor: invalid additional information ${info} for type ${majorTypeNames[type] ?? ''}`);
  }

  #number(info: number): number | bigint {
    switch (info) {
      case 24:
        return this.#take(1).readUInt8();
      case 25:
        return this.#take(2).readUInt16BE();
      case 26:
        return this.#take(4).readUInt32BE();
      default: {
        const value = this.#take(8).readBigUInt64BE();
        return value <= maxSafe ? Number(value) : value;
      }
    }
  }

  /** The whole content of a byte or text string; chunks are joined. */
  string({ type, info, value }: Head): Buffer {
    if (info !== indefinite) return this.#chunk(type, value);
    const chunks: Buffer[] = [];
    for (;;) {
      const head = this.head();
      if (head.type === majorType.simple && head.info === indefinite) return Buffer.concat(chunks);
      const name = majorTypeNames[type] ?? '';
      if (head.type !== type) {
        throw new CborError(
          `cbor: wrong element type ${majorTypeNames[head.type] ?? ''} for indefinite-length ${name}`,
        );
      }
      if (head.info === indefinite) throw new CborError(`cbor: indefinite-length ${name} chunk is not definite-length`);
      chunks.push(this.#chunk(type, head.value));
    }
  }

  #chunk(type: number, length: number | bigint): Buffer {
    const bytes = this.#take(Number(length));
    if (type === majorType.text) validText(bytes);
    return bytes;
  }

  /** The floating-point number of a head of type `simple` whose info is 25, 26 or 27. Throws CborError on NaN and infinities. */
  float({ info }: Head): number {
    const size = 2 ** (info - 24);
    const start = this.#at - size;
    const value =
      info === 25 ? this.#half(start) : info === 26 ? this.#bytes.readFloatBE(start) : this.#bytes.readDoubleBE(start);
    if (Number.isNaN(value)) throw notAccepted('floating-point NaN');
    if (!Number.isFinite(value)) throw notAccepted('floating-point infinity');
    return value;
  }

  #half(start: number): number {
    return Number(cborLibrary().decode(this.#bytes.subarray(start - 1, start + 2)));
  }

  #take(count: number): Buffer {
    if (count > this.left) throw endOfInput();
    this.#at += count;
    return this.#bytes.subarray(this.#at - count, this.#at);
  }
}

/** The error for valid CBOR that JSON cannot express. */
export const notAccepted = (what: string): CborError =>
  new CborError(`cbor: data item of cbor type primitives is not accepted by protocol: ${what}`);

function validText(bytes: Buffer): void {
  try {
    utf8.decode(bytes);
  } catch (error) {
    throw new CborError('cbor: invalid UTF-8 string', { cause: error });
  }
}
