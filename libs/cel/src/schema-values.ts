import { parseDuration } from '@apichain/meta';
import type { DeclType } from './types.ts';
import { parseTimestamp } from './library/timestamps.ts';
import { Duration, EvaluationError, ListValue, MapValue, Timestamp, type ListIdentity, type Value } from './values.ts';

const isRecord = (raw: unknown): raw is Record<string, unknown> =>
  typeof raw === 'object' && raw !== null && !Array.isArray(raw);

/**
 * JSON as the value that its schema declares; lists and maps are converted when they are read. Throws EvaluationError when the
 * JSON is not what the schema says.
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
      if (typeof raw === 'number') return BigInt(Math.trunc(raw));
      break;
    case 'double':
      if (typeof raw === 'number' || typeof raw === 'bigint') return Number(raw);
      break;
    case 'dyn':
      if (typeof raw === 'bigint' || typeof raw === 'string') return raw;
      if (typeof raw === 'number') return Number.isInteger(raw) ? BigInt(raw) : raw;
      break;
    default:
      if (typeof raw === 'string') return textValue(raw, decl.kind);
  }
  throw new EvaluationError(`invalid data, expected ${decl.kind}, got ${Array.isArray(raw) ? 'list' : typeof raw}`);
}

function textValue(text: string, kind: 'string' | 'bytes' | 'timestamp' | 'duration'): Value {
  switch (kind) {
    case 'string':
      return text;
    case 'bytes':
      return Buffer.from(text, 'base64');
    case 'timestamp': {
      const ns = parseTimestamp(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text);
      if (ns === undefined) throw new EvaluationError(`Invalid date formatted string ${text}`);
      return new Timestamp(ns);
    }
    case 'duration':
      try {
        return new Duration(parseDuration(text));
      } catch (error) {
        throw new EvaluationError(`Invalid duration ${text}: ${error instanceof Error ? error.message : ''}`);
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

/** An object with declared fields; what the schema does not declare is not there. */
class SchemaObject extends MapValue {
  readonly typeName: string;
  readonly #raw: Record<string, unknown>;
  readonly #fields: NonNullable<DeclType['fields']>;
  constructor(raw: Record<string, unknown>, decl: DeclType) {
    super();
    this.typeName = decl.celType.name;
    this.#raw = raw;
    this.#fields = decl.fields ?? new Map();
  }
  get size(): number {
    return this.keys().length;
  }
  get(key: Value): Value | undefined {
    const field = typeof key === 'string' ? this.#fields.get(key) : undefined;
    if (field === undefined || !Object.hasOwn(this.#raw, field.name)) return undefined;
    return schemaValue(this.#raw[field.name], field.decl);
  }
  keys(): readonly Value[] {
    return [...this.#fields.keys()].filter((k) => Object.hasOwn(this.#raw, this.#fields.get(k)?.name ?? ''));
  }
}
