import { newTooManyMembers, type JsonValue } from '@apichain/meta';
import { CborError } from './cbor-error.ts';
import { ArrayContainer, MapContainer, type Container, type LaterEncoding } from './container.ts';
import { majorType, selfDescribed } from './major-types.ts';
import { CborReader, endOfInput, indefinite, notAccepted, type Head } from './reader.ts';
import { timeText } from './time-tag.ts';

/** The same limit as for JSON. */
const maxNestedLevels = 10_000;
const maxMapPairs = 2_097_152;
const maxInt64 = 2n ** 63n - 1n;

const laterEncodings: ReadonlyMap<number | bigint, LaterEncoding> = new Map<number | bigint, LaterEncoding>([
  [21, 'base64url'],
  [22, 'base64'],
  [23, 'hex'],
]);

/** The tags before an item. */
interface Tags {
  readonly head: Head;
  readonly later: LaterEncoding;
  /** Tag 0 or 1: the item is a time. */
  readonly time: boolean;
  readonly count: number;
}

const isBreak = ({ type, info }: Head): boolean => type === majorType.simple && info === indefinite;

class CborDecoder {
  readonly #reader: CborReader;
  readonly #open: Container[] = [];

  #membersLeft: number;

  constructor(bytes: Buffer, mostMembers: number) {
    this.#membersLeft = mostMembers;
    this.#reader = new CborReader(bytes);
  }

  /** Reads one item. Containers are kept on an explicit stack, so that depth uses memory and not the call stack. */
  decode(): JsonValue {
    for (;;) {
      const parent = this.#open.at(-1);
      const tags = this.#readTags(parent?.later);
      if (isBreak(tags.head)) {
        this.#endIndefinite(parent, tags);
      } else {
        // A key and its value count as one member.
        if (parent?.expectsKey === false && --this.#membersLeft < 0) throw newTooManyMembers();
        const opened = this.#openContainer(tags, parent);
        if (opened !== undefined) this.#open.push(opened);
        else if (parent === undefined) return this.#scalar(tags);
        else parent.add(this.#scalar(tags));
      }
      const root = this.#closeFull();
      if (root !== undefined) return root;
    }
  }

  expectEnd(): void {
    const { left, offset } = this.#reader;
    if (left > 0) throw new CborError(`cbor: ${left} bytes of extraneous data starting at index ${offset}`);
  }

  #readTags(inherited: LaterEncoding): Tags {
    let later = inherited;
    let time = false;
    for (let count = 0; ; count++) {
      const head = this.#reader.head();
      if (head.type !== majorType.tag) return { head, later, time, count };
      if (this.#open.length + count >= maxNestedLevels) throw tooDeep();
      if (head.value === 2 || head.value === 3)
        throw new CborError('cbor: data item of cbor type tag is not accepted by protocol: bignum');
      time ||= head.value === 0 || head.value === 1;
      later = laterEncodings.get(head.value) ?? later;
    }
  }

  #endIndefinite(parent: Container | undefined, { count }: Tags): void {
    if (parent?.left !== Infinity || count > 0) throw new CborError('cbor: unexpected "break" code');
    parent.end();
  }

  #openContainer({ head, later, time }: Tags, parent: Container | undefined): Container | undefined {
    const { type, info, value } = head;
    if (type !== majorType.array && type !== majorType.map) return undefined;
    if (parent?.expectsKey === true || time) {
      throw new CborError(
        `cbor: cannot unmarshal ${type === majorType.array ? 'array' : 'map'} into Go value of type string`,
      );
    }
    if (this.#open.length >= maxNestedLevels) throw tooDeep();
    const length = info === indefinite ? Infinity : Number(value);
    if (type === majorType.map && info !== indefinite && length > maxMapPairs) {
      throw new CborError(`cbor: exceeded max number of key-value pairs ${maxMapPairs} for CBOR map`);
    }
    // Every item takes at least one byte, so a longer length cannot be complete.
    if (info !== indefinite && length > this.#reader.left) throw endOfInput();
    return type === majorType.array ? new ArrayContainer(length, later) : new MapContainer(length, later);
  }

  /** Adds full containers to their parents. Returns the root when it is full, else undefined. */
  #closeFull(): JsonValue | undefined {
    for (let top = this.#open.at(-1); top?.left === 0; top = this.#open.at(-1)) {
      this.#open.pop();
      const parent = this.#open.at(-1);
      if (parent === undefined) return top.value;
      parent.add(top.value);
    }
    return undefined;
  }

  #scalar({ head, later, time }: Tags): JsonValue {
    const value = this.#untaggedScalar(head, time ? undefined : later);
    return time ? timeText(value) : value;
  }

  #untaggedScalar(head: Head, later: LaterEncoding): JsonValue {
    switch (head.type) {
      case majorType.unsigned:
        return unsigned(head.value);
      case majorType.negative:
        return negative(head.value);
      case majorType.bytes:
        return this.#reader.string(head).toString(later ?? 'utf8');
      case majorType.text:
        return this.#reader.string(head).toString('utf8');
      default:
        return this.#simple(head);
    }
  }

  #simple(head: Head): JsonValue {
    switch (head.info) {
      case 20:
        return false;
      case 21:
        return true;
      case 22:
        return null;
      case 25:
      case 26:
      case 27:
        return this.#reader.float(head);
      default:
        throw notAccepted(`simple value ${head.value}`);
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
  const result = -1n - BigInt(value);
  if (result < -maxInt64 - 1n) throw overflows('negative', result);
  const asNumber = Number(result);
  return Number.isSafeInteger(asNumber) ? asNumber : result;
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
