import { escapeHtml, isSorted, lazy, stringifyJson, oncePerObject } from '@apichain/meta';
import { codecFor } from './decoder.ts';
import { DecodeState } from './decode-state.ts';
import { emptyIsNil, omissionOf, writesUnset, type Omission } from './field-presence.ts';
import { goTypeName } from './go-type-name.ts';
import { jsonKind, scalarDecoder } from './scalar-decoders.ts';
import type { Field, Type } from './type.ts';

/** Writes the JSON text of a value that is neither null nor undefined, in the form of a stored object. */
type Writer = (value: unknown, state: DecodeState) => string;
type Container = Record<string, unknown>;

/** The writer of a type, compiled once. */
const writerOf = oncePerObject(compile);

function compile(type: Type): Writer {
  if (type.kind === 'object' && type.fields !== undefined) return objectWriter(type, type.fields);
  if (type.kind === 'map' && type.values !== undefined) return mapWriter(type, type.values);
  if (type.kind === 'array' && type.items !== undefined) return arrayWriter(type, type.items);
  if (type.kind === 'json' && type.items !== undefined) return schemaUnionWriter(type, type.items);
  const decode = type.items === undefined ? scalarDecoder(type) : codecFor(type).decode;
  return (value, state) => scalarText(decode(value, state));
}

/** The position in an object that is written, for errors. */
const newState = (): DecodeState => new DecodeState(undefined, false, true);

/** Writes JSONSchemaPropsOrBool, -OrArray and -OrStringArray. */
function schemaUnionWriter(type: Type, schema: Type): Writer {
  const { name = '' } = type;
  const { decode } = codecFor(type);
  const writeSchema = lazy(() => writerOf(schema));
  const items: Type = name.endsWith('OrStringArray') ? { kind: 'string' } : schema;
  const writeList = lazy(() => arrayWriter({ ...type, itemPointer: true }, items));
  return (value, state) => {
    if (Array.isArray(value) && value.length > 0 && !name.endsWith('OrBool')) return writeList()(value, state);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return writeSchema()(value, state);
    return scalarText(decode(value, state));
  };
}

/** Characters that are not plain ASCII, or that JSON escapes. What only Go's encoder escapes is escaped once in the whole text. */
const escaped = /[^ !#-[\]-~]/;
const quoted = (text: string): string => (escaped.test(text) ? JSON.stringify(text) : `"${text}"`);

const scalarText = (value: unknown): string => (typeof value === 'string' ? quoted(value) : stringifyJson(value));

/** The text that Go writes for an unset value of the type; undefined = nil. */
function zeroOf(type: Type): string | undefined {
  const zero = codecFor(type).zero(newState());
  return zero === undefined ? undefined : scalarText(zero);
}

/** Most maps are sorted already. Sorting them anyway would copy their keys twice. */
function sortedKeys(source: object): string[] {
  const keys = Object.keys(source);
  return isSorted(keys) ? keys : keys.sort();
}

function mapWriter(type: Type, values: Type): Writer {
  const goType = goTypeName(type);
  const valueWriter = lazy(() => writerOf(values));
  const nil = values.kind === 'bytes' ? '""' : 'null';
  const zero = lazy(() => zeroOf(values) ?? nil);
  return (value, state) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return state.endWithWrongType(jsonKind(value), goType);
    const source = value as Container;
    const write = valueWriter();
    let text = '';
    for (const key of sortedKeys(source)) {
      const item = source[key];
      state.enter(key, '');
      text += `${text === '' ? '' : ','}${quoted(key)}:${item === null || item === undefined ? zero() : write(item, state)}`;
      state.leave();
    }
    return `{${text}}`;
  };
}

function arrayWriter(type: Type, items: Type): Writer {
  const goType = goTypeName(type);
  const itemWriter = lazy(() => writerOf(items));
  const zero = lazy(() => (type.itemPointer === true ? 'null' : (zeroOf(items) ?? 'null')));
  return (value, state) => {
    if (!Array.isArray(value)) return state.endWithWrongType(jsonKind(value), goType);
    const source: readonly unknown[] = value;
    const write = itemWriter();
    let text = '';
    for (let i = 0; i < source.length; i++) {
      const item = source[i];
      state.enter(i, '');
      text += `${i === 0 ? '' : ','}${item === null || item === undefined ? zero() : write(item, state)}`;
      state.leave();
    }
    return `[${text}]`;
  };
}

const omitted: Readonly<Record<Omission, (text: string) => boolean>> = {
  none: () => false,
  nil: (text) => text === 'null',
  emptyCollection: (text) => text === '[]' || text === '{}',
  emptyScalar: (text) => text === '""' || text === '0' || text === 'false' || text === 'null',
};

interface FieldWriter {
  readonly name: string;
  /** `,"name":`. */
  readonly start: string;
  readonly write: () => Writer;
  /** The text of the field when it is unset, including `start`; '' = the field is omitted. */
  readonly unset: () => string;
  readonly omits: (text: string) => boolean;
  readonly emptyIsNil: boolean;
}

function fieldWriter(field: Field, owner: Type): FieldWriter {
  const start = `,${quoted(field.name)}:`;
  const omits = omitted[omissionOf(field, owner)];
  const isAlways = writesUnset(field);
  return {
    name: field.name,
    start,
    write: lazy(() => writerOf(field.type)),
    unset: lazy(() => {
      const zero = field.pointer === true ? undefined : zeroOf(field.type);
      if (zero !== undefined && (isAlways || !omits(zero))) return start + zero;
      return isAlways ? `${start}null` : '';
    }),
    omits,
    emptyIsNil: emptyIsNil(field, owner),
  };
}

/** Writes the members of an object of the type, each with a comma before it. */
function membersWriter(type: Type, typeFields: readonly Field[]): Writer {
  const goType = goTypeName(type);
  const owner = goType.slice(goType.lastIndexOf('.') + 1);
  const fields = typeFields.map((field) => fieldWriter(field, type));
  return (value, state) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return state.endWithWrongType(jsonKind(value), goType);
    const source = value as Container;
    let text = '';
    for (const field of fields) {
      const item = source[field.name];
      if (item === null || item === undefined) {
        text += field.unset();
        continue;
      }
      state.enter(field.name, owner);
      const written = field.write()(item, state);
      state.leave();
      if (field.omits(written) || (field.emptyIsNil && omitted.emptyCollection(written))) text += field.unset();
      else text += field.start + written;
    }
    return text;
  };
}

function objectWriter(type: Type, fields: readonly Field[]): Writer {
  const write = membersWriter(type, fields);
  return (value, state) => `{${write(value, state).slice(1)}}`;
}

/**
 * A writer of the members of an object of the type, except those in `without`: JSON text with a comma before each member, '' if there is
 * none. The text is that of the result of canonicalize, made in one pass and without that object. The writer throws DecodeError for a value
 * of the wrong type.
 */
export function canonicalMembers(type: Type, without: readonly string[]): (object: unknown) => string {
  const fields = (type.fields ?? []).filter((field) => !without.includes(field.name));
  const write = membersWriter(type, fields);
  return (object) => escapeHtml(write(object, newState()));
}
