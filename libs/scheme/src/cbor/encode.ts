import { isRecord, LazyList, type Pieces } from '@apichain/meta';
import { CborError } from './cbor-error.ts';
import { floatBytes } from './float-bytes.ts';
import { majorType, selfDescribed } from './major-types.ts';

const maxInt64 = 2n ** 63n - 1n;
const minInt64 = -(2n ** 63n);

/** A buffer that grows as data is written to it. */
class ByteWriter {
  #bytes = Buffer.allocUnsafe(1024);
  #length = 0;

  get written(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  /** The bytes since the last call. */
  take(): Buffer {
    const taken = Buffer.from(this.written);
    this.#length = 0;
    return taken;
  }

  raw(bytes: Uint8Array): void {
    const at = this.#reserve(bytes.length);
    this.#bytes.set(bytes, at);
  }

  byte(value: number): void {
    const at = this.#reserve(1);
    this.#bytes[at] = value;
  }

  /** Writes a major type and its number in the fewest bytes. */
  head(type: number, value: number): void {
    const high = type << 5;
    if (value < 24) {
      this.byte(high | value);
    } else if (value < 0x100) {
      const at = this.#reserve(2);
      this.#bytes[at] = high | 24;
      this.#bytes[at + 1] = value;
    } else if (value < 0x10000) {
      const at = this.#reserve(3);
      this.#bytes[at] = high | 25;
      this.#bytes.writeUInt16BE(value, at + 1);
    } else if (value < 2 ** 32) {
      const at = this.#reserve(5);
      this.#bytes[at] = high | 26;
      this.#bytes.writeUInt32BE(value, at + 1);
    } else {
      this.longHead(type, BigInt(value));
    }
  }

  longHead(type: number, value: bigint): void {
    const at = this.#reserve(9);
    this.#bytes[at] = (type << 5) | 27;
    this.#bytes.writeBigUInt64BE(value, at + 1);
  }

  /** Writes a byte string, because Go strings need not be valid UTF-8. Readers accept byte and text strings as strings. */
  string(text: string): void {
    const length = Buffer.byteLength(text);
    this.head(majorType.bytes, length);
    const at = this.#reserve(length);
    this.#bytes.write(text, at);
  }

  #reserve(count: number): number {
    const at = this.#length;
    this.#length += count;
    if (this.#length > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(this.#length, this.#bytes.length * 2));
      this.#bytes.copy(larger, 0, 0, at);
      this.#bytes = larger;
    }
    return at;
  }
}

const beyondAscii = /[^\x00-\x7f]/;

/** The names of the members, without undefined ones, by their encoded bytes: shorter names come first (RFC 8949, 4.2.1). */
function sortedNames(map: Readonly<Record<string, unknown>>): readonly string[] {
  const names = Object.keys(map).filter((name) => map[name] !== undefined);
  if (names.length < 2) return names;
  if (names.some((name) => beyondAscii.test(name))) return names.sort(compareEncoded);
  // Sorting by a function takes several times as long as sorting texts.
  return names.sort().sort(compareLength);
}

const compareLength = (a: string, b: string): number => a.length - b.length;

function compareEncoded(a: string, b: string): number {
  const [one, other] = [Buffer.from(a), Buffer.from(b)];
  return one.length - other.length || one.compare(other);
}

function writeBigInt(out: ByteWriter, value: bigint): void {
  if (value > maxInt64 || value < minInt64) writeFloat(out, Number(value));
  else if (value >= -(2n ** 32n) && value < 2n ** 32n) writeInteger(out, Number(value));
  else if (value >= 0n) out.longHead(majorType.unsigned, value);
  else out.longHead(majorType.negative, -1n - value);
}

function writeInteger(out: ByteWriter, value: number): void {
  if (value >= 0) out.head(majorType.unsigned, value);
  else out.head(majorType.negative, -1 - value);
}

/** Writes a float in the fewest of 2, 4 or 8 bytes that preserve its value. */
function writeFloat(out: ByteWriter, value: number): void {
  if (!Number.isFinite(value)) throw new CborError('cbor: floating-point NaN and infinities cannot be encoded');
  out.raw(floatBytes(value));
}

function writeScalar(out: ByteWriter, value: unknown): void {
  switch (typeof value) {
    case 'string':
      out.string(value);
      return;
    case 'boolean':
      out.byte(value ? 0xf5 : 0xf4);
      return;
    case 'bigint':
      writeBigInt(out, value);
      return;
    case 'number':
      if (Number.isSafeInteger(value) && !Object.is(value, -0)) writeInteger(out, value);
      else writeFloat(out, value);
      return;
    default:
      if (value !== null) throw new CborError(`cbor: unsupported type: ${typeof value}`);
      out.byte(0xf6);
  }
}

/** The members of a map that have not been written. */
class RemainingMembers {
  readonly map: Readonly<Record<string, unknown>>;
  readonly names: readonly string[];
  next = 0;

  constructor(map: Readonly<Record<string, unknown>>, names: readonly string[]) {
    this.map = map;
    this.names = names;
  }
}

/** Not recursive: values may be nested as deeply as JSON. */
function writeItem(out: ByteWriter, root: unknown): void {
  const pending: unknown[] = [root];
  while (pending.length > 0) {
    const value = pending.pop();
    if (value instanceof RemainingMembers) {
      const name = value.names[value.next++];
      if (name === undefined) continue;
      out.string(name);
      pending.push(value, value.map[name]);
    } else if (Array.isArray(value)) {
      out.head(majorType.array, value.length);
      for (let i = value.length - 1; i >= 0; i--) pending.push((value as unknown[])[i] ?? null);
    } else if (isRecord(value)) {
      const names = sortedNames(value);
      out.head(majorType.map, names.length);
      pending.push(new RemainingMembers(value, names));
    } else {
      writeScalar(out, value);
    }
  }
}

/**
 * Encodes a JSON value as one CBOR data item, in the deterministic form of k8s.io/apimachinery: maps are sorted, strings and keys are byte
 * strings, numbers are as short as possible, and integers beyond 64 bits are floats. Undefined members are omitted. Throws CborError for
 * NaN, infinities and values that are not JSON.
 * Source: k8s.io/apimachinery/pkg/runtime/serializer/cbor/internal/modes/encode.go.
 */
export function encodeCborItem(value: unknown): Buffer {
  const out = new ByteWriter();
  writeItem(out, value);
  return out.written;
}

/** Encodes a JSON value as a document, which begins with the tag of self-described CBOR. Throws CborError as `encodeCborItem` does. */
export function encodeCbor(value: unknown): Buffer {
  const out = new ByteWriter();
  out.raw(selfDescribed);
  writeItem(out, value);
  return out.written;
}

/** `encodeCbor` in pieces, for documents with members that are LazyLists: a piece for each item. */
export function* cborPieces(document: Readonly<Record<string, unknown>>): Pieces<Buffer> {
  const out = new ByteWriter();
  out.raw(selfDescribed);
  const names = sortedNames(document);
  out.head(majorType.map, names.length);
  for (const name of names) {
    out.string(name);
    const value = document[name];
    if (!(value instanceof LazyList)) {
      writeItem(out, value);
      continue;
    }
    out.head(majorType.array, value.length);
    for (let i = 0; i < value.length; i++) {
      yield out.take();
      writeItem(out, (yield* value.item(i)) ?? null);
    }
  }
  yield out.take();
}

const mapOfTwo = Buffer.from([0xa2]);
const typeKey = encodeCborItem('type');
const objectKey = encodeCborItem('object');

/** One item of `application/cbor-seq`: a meta/v1 WatchEvent whose object is a separate document. */
export function encodeCborWatchEvent(type: string, object: unknown): Buffer {
  return Buffer.concat([selfDescribed, mapOfTwo, typeKey, encodeCborItem(type), objectKey, encodeCbor(object)]);
}
