import { isRecord, deepEqual } from '@apichain/meta';
import { durationOfText } from '@apichain/schema';
import { escapeName, fieldOf } from './decl-type.ts';
import type { DeclType } from './types.ts';
import { parseTimestamp } from './library/timestamps.ts';
import { Duration, EvaluationError, ListValue, MapValue, type ListIdentity, type Value } from './values.ts';

/**
 * Converts JSON to the value that its schema declares. Lists and maps are converted when they are read. Throws EvaluationError if the JSON
 * does not match the schema.
 */
export function schemaValue(raw: unknown, decl: DeclType): Value {
  if (raw === null || raw === undefined) {
    if (raw === null && decl.type.nullable) return null;
    throw new EvaluationError('invalid data, got null for schema with nullable=false');
  }
  switch (decl.kind) {
    case 'object':
      if (isRecord(raw)) return new SchemaObject(raw, decl);
      break;
    case 'map':
      if (isRecord(raw) && decl.elem !== undefined) return new SchemaMap(raw, decl.elem);
      break;
    case 'list':
      if (Array.isArray(raw) && decl.elem !== undefined) return new SchemaList(raw, decl.elem, identityOf(decl));
      break;
    case 'bool':
      if (typeof raw === 'boolean') return raw;
      break;
    case 'int':
      if (typeof raw === 'bigint') return raw;
      if (typeof raw === 'number' && Number.isInteger(raw)) return BigInt(raw);
      break;
    case 'double':
      if (typeof raw === 'number' || typeof raw === 'bigint') return Number(raw);
      break;
    case 'dyn':
      if (typeof raw === 'bigint' || typeof raw === 'string') return raw;
      if (typeof raw === 'number' && Number.isInteger(raw)) return BigInt(raw);
      break;
    default:
      if (typeof raw === 'string') return textValue(raw, decl.kind);
  }
  throw new EvaluationError(`invalid data, expected ${expectation(decl.kind)}${goType(raw, decl.kind)}`);
}

function expectation(kind: DeclType['kind']): string {
  switch (kind) {
    case 'object':
    case 'map':
      return 'a map for the provided schema with type=object';
    case 'list':
      return 'an array for the provided schema with type=array';
    case 'dyn':
      return 'XIntOrString value to be either a string or integer';
    case 'double':
      return 'float';
    case 'int':
    case 'bool':
      return kind;
    default:
      return 'string';
  }
}
/** The actual Go type in an error message; omitted for containers. */
function goType(raw: unknown, kind: DeclType['kind']): string {
  if (kind === 'object' || kind === 'map' || kind === 'list' || kind === 'dyn') return '';
  const name = () => {
    if (Array.isArray(raw)) return '[]interface {}';
    if (typeof raw === 'boolean') return 'bool';
    if (typeof raw === 'number' && !Number.isInteger(raw)) return 'float64';
    if (typeof raw === 'number' || typeof raw === 'bigint') return 'int64';
    return typeof raw === 'string' ? 'string' : 'map[string]interface {}';
  };
  return `, got ${name()}`;
}

function textValue(text: string, kind: 'string' | 'bytes' | 'timestamp' | 'duration'): Value {
  switch (kind) {
    case 'string':
      return text;
    case 'bytes':
      return Buffer.from(text, 'base64');
    case 'timestamp': {
      const time = parseTimestamp(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text);
      if (time === undefined) throw new EvaluationError(`Invalid date formatted string ${text}`);
      return time;
    }
    case 'duration': {
      const ns = durationOfText(text);
      if (ns === undefined) throw new EvaluationError(`Invalid duration ${text}: unable to parse ${text} as duration`);
      return new Duration(ns);
    }
  }
}

const identityOf = ({ type }: DeclType): ListIdentity | undefined =>
  type.listType === undefined ? undefined : { type: type.listType, keys: type.listMapKeys ?? [] };

class SchemaList extends ListValue {
  readonly #raw: readonly unknown[];
  readonly #elem: DeclType;
  constructor(raw: readonly unknown[], elem: DeclType, identity: ListIdentity | undefined) {
    super(identity);
    this.#raw = raw;
    this.#elem = elem;
  }
  get size(): number {
    return this.#raw.length;
  }
  at(index: number): Value {
    return schemaValue(this.#raw[index], this.#elem);
  }
}

class SchemaMap extends MapValue {
  readonly typeName = 'map';
  readonly #raw: Record<string, unknown>;
  readonly #elem: DeclType;
  constructor(raw: Record<string, unknown>, elem: DeclType) {
    super();
    this.#raw = raw;
    this.#elem = elem;
  }
  get size(): number {
    return Object.keys(this.#raw).length;
  }
  get(key: Value): Value | undefined {
    if (typeof key !== 'string' || !Object.hasOwn(this.#raw, key)) return undefined;
    return schemaValue(this.#raw[key], this.#elem);
  }
  keys(): readonly Value[] {
    return Object.keys(this.#raw).sort();
  }
}

/** An object with declared fields. Expressions cannot access undeclared fields, and null counts as absent. */
class SchemaObject extends MapValue {
  readonly typeName = 'map';
  readonly #raw: Record<string, unknown>;
  readonly #decl: DeclType;
  constructor(raw: Record<string, unknown>, decl: DeclType) {
    super();
    this.#raw = raw;
    this.#decl = decl;
  }
  get size(): number {
    return Object.keys(this.#raw).length;
  }
  get(key: Value): Value | undefined {
    const field = typeof key === 'string' ? fieldOf(this.#decl, key) : undefined;
    if (field === undefined || !Object.hasOwn(this.#raw, field.name)) return undefined;
    const value = this.#raw[field.name];
    return value === null ? undefined : schemaValue(value, field.decl);
  }
  keys(): readonly Value[] {
    return Object.keys(this.#raw).flatMap((name) => escapedField(this.#decl, name) ?? []);
  }
  override differsUnseen(other: MapValue): boolean {
    if (!(other instanceof SchemaObject)) return false;
    return Object.entries(this.#raw).some(([name, value]) => {
      if (escapedField(this.#decl, name) !== undefined) return false;
      if (Object.hasOwn(other.#raw, name)) return !deepEqual(value, other.#raw[name]);
      return this.#decl.type.byName?.has(name) ?? false;
    });
  }
}

/** The name of a property in expressions; undefined if they cannot access it. */
function escapedField(decl: DeclType, name: string): string | undefined {
  const escaped = escapeName(name);
  return escaped !== undefined && decl.fields?.has(escaped) ? escaped : undefined;
}
