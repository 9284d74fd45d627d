import type { AuthorizationValue } from './library/authorization-values.ts';
import type { Cidr, Format, IpAddress, Semver, Url } from './library/extension-values.ts';
import type { Quantity } from '@apichain/meta';

/**
 * A value at run time: int is bigint, double is number, the other scalars have the corresponding type.
 * https://github.com/google/cel-spec/blob/master/doc/langdef.md#values
 */
export type Value =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | Uint
  | Timestamp
  | Duration
  | TypeValue
  | Optional
  | ListValue
  | MapValue
  | Quantity
  | IpAddress
  | Cidr
  | Url
  | Semver
  | Format
  | AuthorizationValue;

export class Uint {
  readonly value: bigint;
  constructor(value: bigint) {
    this.value = value;
  }
}

/** Nanoseconds since 1970, and the offset from UTC, in minutes to the east, with which the time was written. */
export class Timestamp {
  readonly ns: bigint;
  readonly offset: number;
  constructor(ns: bigint, offset = 0) {
    this.ns = ns;
    this.offset = offset;
  }
}
/** A duration of CEL, in nanoseconds. */
export class Duration {
  readonly ns: bigint;
  constructor(ns: bigint) {
    this.ns = ns;
  }
}
export class TypeValue {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}
export class Optional {
  readonly value: Value | undefined;
  constructor(value: Value | undefined) {
    this.value = value;
  }
}
export const none = new Optional(undefined);

/** The identity of the items of a list from a schema, which determines `==` and `+`. */
export interface ListIdentity {
  readonly type: 'atomic' | 'set' | 'map';
  readonly keys: readonly string[];
}

/** A list. Its items are converted when an expression reads them. */
export abstract class ListValue {
  readonly identity: ListIdentity | undefined;
  constructor(identity?: ListIdentity) {
    this.identity = identity;
  }
  abstract readonly size: number;
  abstract at(index: number): Value;
  *[Symbol.iterator](): IterableIterator<Value> {
    for (let i = 0; i < this.size; i++) yield this.at(i);
  }
}
export class ArrayList extends ListValue {
  readonly #items: readonly Value[];
  constructor(items: readonly Value[], identity?: ListIdentity) {
    super(identity);
    this.#items = items;
  }
  get size(): number {
    return this.#items.length;
  }
  at(index: number): Value {
    return this.#items[index] ?? null;
  }
}

/** A list that appends in constant time: lists with a common beginning share its memory. */
export class GrowingList extends ListValue {
  readonly #items: Value[];
  readonly size: number;
  constructor(items: Value[]) {
    super();
    this.#items = items;
    this.size = items.length;
  }
  at(index: number): Value {
    return this.#items[index] ?? null;
  }
  append(more: ListValue): GrowingList {
    const items = this.#items.length === this.size ? this.#items : this.#items.slice(0, this.size);
    for (const item of more) items.push(item);
    return new GrowingList(items);
  }
}

/** A map, or an object of a schema. */
export abstract class MapValue {
  abstract readonly typeName: string;
  abstract readonly size: number;
  /** Undefined if the key does not exist. */
  abstract get(key: Value): Value | undefined;
  abstract keys(): readonly Value[];
  /** Whether the two maps differ in parts that expressions cannot access. */
  differsUnseen(_other: MapValue): boolean {
    return false;
  }
}
export class EntryMap extends MapValue {
  readonly typeName = 'map';
  readonly #entries: ReadonlyMap<string, readonly [Value, Value]>;
  constructor(entries: readonly (readonly [Value, Value])[]) {
    super();
    this.#entries = new Map(entries.map((e) => [mapKey(e[0]), e]));
  }
  get size(): number {
    return this.#entries.size;
  }
  get(key: Value): Value | undefined {
    return this.#entries.get(mapKey(key))?.[1];
  }
  keys(): readonly Value[] {
    return [...this.#entries.values()].map(([k]) => k);
  }
}

/** A message that an expression has constructed. */
export class StructValue extends MapValue {
  readonly typeName: string;
  readonly #fields: ReadonlyMap<string, Value>;
  constructor(typeName: string, fields: ReadonlyMap<string, Value>) {
    super();
    this.typeName = typeName;
    this.#fields = fields;
  }
  get size(): number {
    return this.#fields.size;
  }
  get(key: Value): Value | undefined {
    return typeof key === 'string' ? this.#fields.get(key) : undefined;
  }
  keys(): readonly Value[] {
    return [...this.#fields.keys()];
  }
}

/** The text of a key. Equal keys have equal texts: numbers of different types may be equal. */
function mapKey(key: Value): string {
  if (typeof key === 'string') return `s${key}`;
  if (key instanceof Uint) return `n${key.value}`;
  if (typeof key === 'bigint' || typeof key === 'number') return `n${key}`;
  return typeof key === 'boolean' ? `b${key}` : '';
}

/** An evaluation error; the message is cel-go's. */
export class EvaluationError extends Error {
  override readonly name = 'EvaluationError';
}
export const noSuchOverload = (detail?: string): EvaluationError =>
  new EvaluationError(detail === undefined ? 'no such overload' : `no such overload: ${detail}`);
