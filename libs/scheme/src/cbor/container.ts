import type { JsonObject, JsonValue } from '@apichain/meta';
import { CborError } from './cbor-error.ts';

/** The conversion of a byte string to text: tags 21, 22 and 23 of RFC 8949, 3.4.5.2. Without a tag the bytes are the text. */
export type LaterEncoding = 'base64url' | 'base64' | 'hex' | undefined;

/** An array or map that is being read. `left` items are still to come; Infinity = until the break. */
export interface Container {
  readonly value: JsonValue;
  readonly later: LaterEncoding;
  left: number;
  /** Whether the next item is the key of a map. */
  readonly expectsKey: boolean;
  /** Throws CborError for a key that is not a string, and for a repeated key. */
  add(item: JsonValue): void;
  /** Throws CborError if a map ends after a key without a value. */
  end(): void;
}

/**
 * An array that grows by `push` reserves 17 places at first. Shorter arrays are made with their length: a document may consist of arrays of one
 * item, which would take ten times the memory.
 */
const mostReserved = 16;

export class ArrayContainer implements Container {
  readonly value: JsonValue[];
  #at = 0;
  readonly later: LaterEncoding;
  readonly expectsKey = false;
  left: number;

  constructor(length: number, later: LaterEncoding) {
    this.left = length;
    this.later = later;
    this.value = length <= mostReserved ? new Array<JsonValue>(length) : [];
  }

  add(item: JsonValue): void {
    this.value[this.#at++] = item;
    this.left--;
  }

  end(): void {
    this.left = 0;
  }
}

/** Sets a member of a map as an own property, whatever its name. */
function setMember(object: JsonObject, name: string, value: JsonValue): void {
  if (name === '__proto__') {
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
  } else object[name] = value;
}

export class MapContainer implements Container {
  readonly value: JsonObject = {};
  readonly later: LaterEncoding;
  left: number;
  #key: string | undefined;
  #index = 0;

  constructor(pairs: number, later: LaterEncoding) {
    this.left = pairs * 2;
    this.later = later;
  }

  get expectsKey(): boolean {
    return this.#key === undefined;
  }

  add(item: JsonValue): void {
    this.left--;
    if (this.#key !== undefined) {
      setMember(this.value, this.#key, item);
      this.#key = undefined;
      this.#index++;
      return;
    }
    if (typeof item !== 'string') throw new CborError('cbor: cannot unmarshal map key into Go value of type string');
    if (Object.hasOwn(this.value, item)) {
      throw new CborError(`cbor: found duplicate map key "${item}" at map element index ${this.#index}`);
    }
    this.#key = item;
  }

  end(): void {
    if (this.#key !== undefined) throw new CborError('cbor: unexpected "break" code');
    this.left = 0;
  }
}
