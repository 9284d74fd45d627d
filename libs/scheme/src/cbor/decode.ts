import { newTooManyMembers, type JsonValue } from '@apichain/meta';
import { CborError } from './cbor-error.ts';
import { ArrayContainer, MapContainer, type Container, type LaterEncoding } from './container.ts';
import { majorType, selfDescribed } from './major-types.ts';
import { CborReader, endOfInput, indefinite, notAccepted } from './reader.ts';

/** The same limit as for JSON. */
const maxNestedLevels = 10_000;
const maxMapPairs = 2_097_152;
const maxInt64 = 2n ** 63n - 1n;

const laterEncodings: ReadonlyMap<number | bigint, LaterEncoding> = new Map<number | bigint, LaterEncoding>([
  [21, 'base64url'],
  [22, 'base64'],
  [23, 'hex'],
]);

class CborDecoder {
  readonly #reader: CborReader;
  /** The open containers around the innermost one. */
  readonly #outer: Container[] = [];
  #innermost: Container | undefined;
  #membersLeft: number;
  /** What the tags before the last head say. */
  #later: LaterEncoding;
  /** Tag 0 or 1: the item is a time. */
  #isTime = false;
  #tags = 0;

  constructor(bytes: Buffer, mostMembers: number) {
    this.#membersLeft = mostMembers;
    this.#reader = new CborReader(bytes);
  }

  /** Reads one item. Containers are kept on an explicit stack, so that depth uses memory and not the call stack. */
  decode(): JsonValue {
    for (;;) {
      const parent = this.#innermost;
      this.#readHead(parent);
      if (this.#reader.isBreak) {
        this.#endIndefinite(parent);
      } else {
        // A key and its value count as one member.
        if (parent?.expectsKey === false && --this.#membersLeft < 0) throw newTooManyMembers();
        const { type } = this.#reader;
        if (type === majorType.array || type === majorType.map) this.#open(parent);
        else if (parent === undefined) return this.#scalar();
        else parent.add(this.#scalar());
      }
      if (this.#innermost?.left === 0) {
        const root = this.#closeFull();
        if (root !== undefined) return root;
      }
    }
  }

  expectEnd(): void {
    const { left, offset } = this.#reader;
    if (left > 0) throw new CborError(`cbor: ${left} bytes of extraneous data starting at index ${offset}`);
  }

  get #depth(): number {
    return this.#innermost === undefined ? 0 : this.#outer.length + 1;
  }

  /** Reads the tags before an item, and its head. */
  #readHead(parent: Container | undefined): void {
    const reader = this.#reader;
    this.#later = parent?.later;
    this.#isTime = false;
    this.#tags = 0;
    for (;;) {
      reader.readHead();
      if (reader.type !== majorType.tag) return;
      if (this.#depth + this.#tags >= maxNestedLevels) throw tooDeep();
      const { value } = reader;
      if (value === 2 || value === 3)
        throw new CborError('cbor: data item of cbor type tag is not accepted by protocol: bignum');
      this.#isTime ||= value === 0 || value === 1;
      this.#later = laterEncodings.get(value) ?? this.#later;
      this.#tags++;
    }
  }

  #endIndefinite(parent: Container | undefined): void {
    if (parent?.left !== Infinity || this.#tags > 0) throw new CborError('cbor: unexpected "break" code');
    parent.end();
  }

  #open(parent: Container | undefined): void {
    const { type, info, value, left } = this.#reader;
    if (parent?.expectsKey === true || this.#isTime) {
      throw new CborError(
        `cbor: cannot unmarshal ${type === majorType.array ? 'array' : 'map'} into Go value of type string`,
      );
    }
    if (this.#depth >= maxNestedLevels) throw tooDeep();
    const length = info === indefinite ? Infinity : Number(value);
    if (type === majorType.map && info !== indefinite && length > maxMapPairs) {
      throw new CborError(`cbor: exceeded max number of key-value pairs ${maxMapPairs} for CBOR map`);
    }
    // Every item takes at least one byte, so a longer length cannot be complete.
    if (info !== indefinite && length > left) throw endOfInput();
    if (length === 0 && parent !== undefined) {
      parent.add(type === majorType.array ? [] : {});
      return;
    }
    if (parent !== undefined) this.#outer.push(parent);
    this.#innermost =
      type === majorType.array ? new ArrayContainer(length, this.#later) : new MapContainer(length, this.#later);
  }

  /** Adds full containers to their parents. Returns the root when it is full, else undefined. */
  #closeFull(): JsonValue | undefined {
    for (let full = this.#innermost; full?.left === 0; full = this.#innermost) {
      this.#innermost = this.#outer.pop();
      if (this.#innermost === undefined) return full.value;
      this.#innermost.add(full.value);
    }
    return undefined;
  }

  #scalar(): JsonValue {
    return this.#isTime ? timeText(this.#untaggedScalar(undefined)) : this.#untaggedScalar(this.#later);
  }

  #untaggedScalar(later: LaterEncoding): JsonValue {
    const reader = this.#reader;
    switch (reader.type) {
      case majorType.unsigned:
        return unsigned(reader.value);
      case majorType.negative:
        return negative(reader.value);
      case majorType.bytes:
        return reader.string(later ?? 'utf8');
      case majorType.text:
        return reader.string('utf8');
      default:
        return this.#simple();
    }
  }

  #simple(): JsonValue {
    switch (this.#reader.info) {
      case 20:
        return false;
      case 21:
        return true;
      case 22:
        return null;
      case 25:
      case 26:
      case 27:
        return this.#reader.float();
      default:
        throw notAccepted(`simple value ${this.#reader.value}`);
    }
  }
}

const tooDeep = () => new CborError(`cbor: exceeded max nested level ${maxNestedLevels}`);

const overflows = (kind: string, value: bigint | number) =>
  new CborError(`cbor: cannot unmarshal ${kind} integer into Go value of type int64 (${value} overflows Go's int64)`);

function unsigned(value: number | bigint): number | bigint {
  if (typeof value === 'bigint' && value > maxInt64) throw overflows('positive', value);
  return value;
}

function negative(value: number | bigint): number | bigint {
  if (typeof value === 'number' && value < Number.MAX_SAFE_INTEGER) return -1 - value;
  const result = -1n - BigInt(value);
  if (result < -maxInt64 - 1n) throw overflows('negative', result);
  return result;
}

/** Whether bytes begin with the prefix of all CBOR documents of Kubernetes. */
export const looksLikeCbor = (bytes: Buffer): boolean =>
  bytes.length >= selfDescribed.length && bytes.subarray(0, selfDescribed.length).equals(selfDescribed);

/**
 * Decodes a CBOR data item to a JSON value. The tag of self-described CBOR is optional. Text and byte strings become strings, times become
 * RFC 3339 text, and integers beyond 2^53 become bigint. Throws CborError for data that is not well-formed, repeated keys, NaN, infinities,
 * integers beyond 64 bits, and more than 10,000 levels; RequestEntityTooLarge for more than `mostMembers` members.
 * Source: k8s.io/apimachinery/pkg/runtime/serializer/cbor/internal/modes/decode.go.
 */
export function decodeCbor(bytes: Buffer, mostMembers = Infinity): JsonValue {
  if (bytes.length === 0) throw new CborError('EOF');
  const decoder = new CborDecoder(bytes, mostMembers);
  const value = decoder.decode();
  decoder.expectEnd();
  return value;
}

const rfc3339 = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;
/** The range of years that RFC 3339 can express, in seconds since the epoch. */
const earliest = -62_135_596_800;
const latest = 253_402_300_799;

const withoutTrailingZeros = (fraction: string): string => fraction.replace(/\.?(?<!0)0+$/, '');

function textTime(text: string): string {
  const parts = rfc3339.exec(text);
  if (parts === null || Number.isNaN(Date.parse(text))) {
    throw new CborError(`cbor: cannot set ${text} for time.Time: parsing time ${JSON.stringify(text)}`);
  }
  const [, seconds = '', fraction = '', zone = ''] = parts;
  return `${seconds}${withoutTrailingZeros(fraction)}${zone}`;
}

function epochTime(seconds: number): string {
  if (seconds < earliest || seconds > latest) throw new CborError('cbor: time is out of the range of RFC 3339');
  const whole = Math.floor(seconds);
  const nanoseconds = Math.round((seconds - whole) * 1e9);
  const fraction = nanoseconds === 0 ? '' : withoutTrailingZeros(`.${String(nanoseconds).padStart(9, '0')}`);
  return `${new Date(whole * 1000).toISOString().slice(0, 19)}${fraction}Z`;
}

/** The content of a time tag (0: text, 1: seconds since the epoch) as RFC 3339 text. Throws CborError. */
function timeText(content: JsonValue): string {
  if (typeof content === 'string') return textTime(content);
  if (typeof content === 'number') return epochTime(content);
  if (typeof content === 'bigint') return epochTime(Number(content));
  throw new CborError('cbor: cannot unmarshal tag into Go value of type time.Time');
}
