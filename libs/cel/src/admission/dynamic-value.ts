import { isList, isRecord, isWholeFloat, type JsonContainer, type List } from '@apichain/meta';
import { formatTimestamp } from '../library/timestamps.ts';
import { Duration, EvaluationError, ListValue, MapValue, Optional, Timestamp, Uint, type Value } from '../values.ts';

/** Converts JSON without a declared type to a value. Lists and objects are converted when they are read. */
export function dynamicValue(raw: unknown): Value {
  if (typeof raw === 'number') return Number.isInteger(raw) ? BigInt(raw) : raw;
  if (typeof raw === 'string' || typeof raw === 'boolean' || typeof raw === 'bigint') return raw;
  if (isList(raw)) return new DynamicList(raw);
  return isRecord(raw) ? new DynamicMap(raw) : null;
}

/** A number that was written as a float is a double, even if it is whole. */
function memberValue(container: JsonContainer, key: string | number, raw: unknown): Value {
  return typeof raw === 'number' && isWholeFloat(container, key) ? raw : dynamicValue(raw);
}

class DynamicList extends ListValue {
  readonly #raw: List;
  constructor(raw: List) {
    super();
    this.#raw = raw;
  }
  get size(): number {
    return this.#raw.length;
  }
  at(index: number): Value {
    return memberValue(this.#raw, index, this.#raw[index]);
  }
}

class DynamicMap extends MapValue {
  readonly typeName = 'map';
  readonly #raw: Record<string, unknown>;
  constructor(raw: Record<string, unknown>) {
    super();
    this.#raw = raw;
  }
  get size(): number {
    return this.keys().length;
  }
  get(key: Value): Value | undefined {
    if (typeof key !== 'string' || !Object.hasOwn(this.#raw, key) || this.#raw[key] === undefined) return undefined;
    return memberValue(this.#raw, key, this.#raw[key]);
  }
  keys(): readonly Value[] {
    return Object.keys(this.#raw)
      .filter((key) => this.#raw[key] !== undefined)
      .sort();
  }
}

const maxSafe = BigInt(Number.MAX_SAFE_INTEGER);
const wholeNumber = (value: bigint): number | bigint => (value <= maxSafe && value >= -maxSafe ? Number(value) : value);

/** A value as JSON. Throws EvaluationError if it has no JSON form. */
export function jsonOf(value: Value): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number')
    return value;
  if (typeof value === 'bigint') return wholeNumber(value);
  if (value instanceof Uint) return wholeNumber(value.value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (value instanceof Timestamp) return formatTimestamp(value);
  if (value instanceof Duration) return `${Number(value.ns) / 1e9}s`;
  if (value instanceof Optional) return value.value === undefined ? null : jsonOf(value.value);
  if (value instanceof ListValue) return [...value].map(jsonOf);
  if (value instanceof MapValue) return objectOf(value);
  throw new EvaluationError('unsupported type conversion to JSON');
}

function objectOf(map: MapValue): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  for (const key of map.keys()) {
    const member = jsonOf(map.get(key) ?? null);
    Object.defineProperty(object, String(jsonOf(key)), {
      value: member,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  }
  return object;
}
