import { emptied, isRecord, isSorted, lazy, setOwn, type Occurrence, type Struct, oncePerObject } from '@apichain/meta';
import type { DecodeState } from './decode-state.ts';
import { DecodeError } from './decode-state.ts';
import { emptyIsNil, omissionOf, writesUnset, type Omission } from './field-presence.ts';
import { goTypeName } from './go-type-name.ts';
import { readInTurn } from './repeated-members.ts';
import { jsonKind, scalarDecoder, type Decoder } from './scalar-decoders.ts';
import type { Field, ProtoEmbedding, Type, TypeKind } from './type.ts';

type Container = Record<string, unknown> & Struct;

/** Decodes values of a type, and has the zero value that Go writes for an unset value. */
export interface Codec {
  readonly decode: Decoder;
  /** Undefined stands for nil. */
  readonly zero: (state: DecodeState) => unknown;
}

const none = (): undefined => undefined;

const zeroScalars: Partial<Record<TypeKind, unknown>> = {
  string: '',
  integer: 0,
  number: 0,
  boolean: false,
  duration: '0s',
  quantity: '0',
  intOrString: 0,
};

/** The codec of a type, compiled once. */
export const codecFor = oncePerObject(compile);

function compile(type: Type): Codec {
  if (type.kind === 'object' && type.fields !== undefined) return objectCodec(type, type.fields);
  if (type.kind === 'map' && type.values !== undefined) return { decode: mapDecoder(type, type.values), zero: none };
  if (type.kind === 'array' && type.items !== undefined) return { decode: arrayDecoder(type, type.items), zero: none };
  if (type.kind === 'json' && type.items !== undefined)
    return { decode: schemaUnionDecoder(type, type.items), zero: none };
  const zero = zeroScalars[type.kind];
  return { decode: scalarDecoder(type), zero: () => zero };
}

/** A type may contain itself, so the types in it are compiled on first use. */
const laterCodec = (type: Type): (() => Codec) => lazy(() => codecFor(type));

/** Records the errors in the earlier values of a repeated map member. */
function readFormer(key: string, decode: Decoder, state: DecodeState): void {
  state.readFormer(state.formerValues(key), (former) => {
    state.enterOccurrence(key, '', former);
    void decode(former.value, state);
    state.leave();
  });
}

function mapDecoder(type: Type, values: Type): Decoder {
  const goType = goTypeName(type);
  const valueCodec = laterCodec(values);
  // Null bytes are empty when they are read back from the store.
  const nil = values.kind === 'bytes' ? '' : null;
  return (value, state) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return state.wrongType(jsonKind(value), goType);
    const source = value as Container;
    const keys = Object.keys(source);
    const { decode, zero } = valueCodec();
    const decoded: Container = {};
    if (keys.length === 0) state.emptyMap = decoded;
    for (const key of keys) {
      if (state.repeats) readFormer(key, decode, state);
      state.enter(key, '');
      const item = source[key];
      setOwn(decoded, key, (item === null || item === undefined ? zero(state) : decode(item, state)) ?? nil);
      state.leave();
    }
    if (isSorted(keys)) return decoded;
    // The first error in the document is reported, so values are read before keys are sorted.
    const map: Container = {};
    for (const key of keys.sort()) setOwn(map, key, decoded[key]);
    return map;
  };
}

function arrayDecoder(type: Type, items: Type): Decoder {
  const goType = goTypeName(type);
  const itemCodec = laterCodec(items);
  const pointers = type.itemPointer === true;
  return (value, state) => {
    if (!Array.isArray(value)) return state.wrongType(jsonKind(value), goType);
    const source: readonly unknown[] = value;
    const { decode, zero } = itemCodec();
    const decoded: unknown[] = [];
    for (let i = 0; i < source.length; i++) {
      const item = source[i];
      state.enter(i, '');
      if (item === null || item === undefined) decoded.push(pointers ? null : (zero(state) ?? null));
      else decoded.push(decode(item, state));
      state.leave();
    }
    return decoded;
  };
}

/**
 * JSONSchemaPropsOrBool, -OrArray and -OrStringArray have their own decoders in Go. Fields inside are never unknown, and other forms are
 * dropped or refused. A wrong type inside is reported with the path of the enclosing struct.
 */
function schemaUnionDecoder(type: Type, schema: Type): Decoder {
  const schemaCodec = laterCodec(schema);
  const name = type.name ?? '';
  const decodeText = scalarDecoder({ kind: 'string' });
  const nested = (decode: Decoder, value: unknown, state: DecodeState, index?: number) =>
    state.nested((inner) => decode(value, inner), index);
  return (value, state) => {
    if (Array.isArray(value)) {
      if (name.endsWith('OrBool')) throw new DecodeError('boolean or JSON schema expected');
      const decode = name.endsWith('OrStringArray') ? decodeText : schemaCodec().decode;
      if (value.length === 0) return null;
      return value.map((item: unknown, i) => (item === null ? null : nested(decode, item, state, i)));
    }
    if (typeof value === 'object') return nested(schemaCodec().decode, value, state);
    if (name.endsWith('OrBool')) {
      if (typeof value === 'boolean') return value;
      throw new DecodeError('boolean or JSON schema expected');
    }
    return null;
  };
}

interface FieldCodec {
  readonly name: string;
  /** The Go names of the field's struct and of the inline structs that contain the field: `Volume.VolumeSource`. */
  readonly owner: string;
  readonly pointer: boolean;
  readonly codec: () => Codec;
  /** Whether Go writes the field although it is unset. */
  readonly always: boolean;
  /** Whether Go omits a value that is present. */
  readonly drops: (value: unknown, state: DecodeState) => boolean;
  readonly emptyIsNil: boolean;
}

/** For a list or map that has just been decoded. Searching a large map for a member would list all its members. */
const isEmptyCollection = (value: unknown, state: DecodeState): boolean =>
  Array.isArray(value) ? value.length === 0 : value === state.emptyMap;

/**
 * Whether a field that a decoded object lacks was set to an empty list or map. Go distinguishes the two until an object has been stored,
 * and the responses show the difference. A type that does not carry the fact is a compile error. See Struct.
 */
export const wasEmpty = <T extends Struct>(container: T, field: keyof T & string): boolean =>
  container[emptied]?.includes(field) === true && isUnset(container[field]);

/** The field may have been set after decoding, for example by a default. */
const isUnset = (value: unknown): boolean => value === undefined || value === null;

/** Whether `wasEmpty` is true for any field of a decoded value or of the values in it. */
export function holdsEmptied(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(holdsEmptied);
  if (!isRecord(value)) return false;
  const struct: Container = value;
  return struct[emptied]?.some((field) => isUnset(struct[field])) === true || Object.values(struct).some(holdsEmptied);
}

/** Makes `wasEmpty` false for a field that is removed from a decoded object. */
export function forgetEmptied<T extends Struct>(container: T, field: keyof T & string): void {
  if (container[emptied] === undefined) return;
  container[emptied] = container[emptied].filter((name) => name !== field);
}

const omissions: Readonly<Record<Omission, FieldCodec['drops']>> = {
  none: () => false,
  nil: (value) => value === null,
  emptyCollection: (value, state) => !state.keepEmpty && isEmptyCollection(value, state),
  emptyScalar: (value) => value === '' || value === 0 || value === false || value === null,
};

const lastName = (goType: string): string => goType.slice(goType.lastIndexOf('.') + 1);

function inlineNames(embedding: ProtoEmbedding | undefined): string[] {
  return embedding === undefined ? [] : [lastName(embedding.typeName), ...inlineNames(embedding.inner)];
}

function fieldCodec(field: Field, owner: Type): FieldCodec {
  return {
    name: field.name,
    owner: [lastName(goTypeName(owner)), ...inlineNames(field.protoEmbedded)].join('.'),
    pointer: field.pointer === true,
    codec: laterCodec(field.type),
    always: writesUnset(field),
    drops: omissions[omissionOf(field, owner)],
    emptyIsNil: emptyIsNil(field, owner),
  };
}

function insertByIndex(indices: number[], values: unknown[], index: number, value: unknown): void {
  let at = indices.length;
  while (at > 0 && (indices[at - 1] ?? 0) > index) at--;
  if (at === indices.length) {
    indices.push(index);
    values.push(value);
  } else {
    indices.splice(at, 0, index);
    values.splice(at, 0, value);
  }
}

function objectCodec(type: Type, typeFields: readonly Field[]): Codec {
  const goType = goTypeName(type);
  const fields = typeFields.map((field) => fieldCodec(field, type));
  const indexOf = new Map(fields.map((field, index) => [field.name, index]));
  const always = fields.flatMap((field, index) => (field.always ? [index] : []));

  const decodeField = (field: FieldCodec, item: unknown, state: DecodeState, occurrence?: Occurrence): unknown => {
    const { decode, zero } = field.codec();
    if (item === null || item === undefined) return field.pointer ? undefined : zero(state);
    if (occurrence === undefined) state.enter(field.name, field.owner);
    else state.enterOccurrence(field.name, field.owner, occurrence);
    const decoded = decode(item, state);
    state.leave();
    return field.emptyIsNil && state.canonical && isEmptyCollection(decoded, state) ? undefined : decoded;
  };

  /** Decodes a repeated member, whose last value is `value`. Errors in the earlier values are recorded. */
  const decodeInTurn = (field: FieldCodec, index: number, value: unknown, state: DecodeState): unknown => {
    const former = state.formerValues(field.name);
    const typeField = typeFields[index];
    if (former.length === 0 || typeField === undefined) return decodeField(field, value, state);
    state.readFormer(former, (occurrence) => void decodeField(field, occurrence.value, state, occurrence));
    const last = readInTurn([...former, state.lastOccurrence(field.name, value)], typeField);
    return decodeField(field, last.value, state, last);
  };

  const unset = (field: FieldCodec, state: DecodeState): unknown =>
    field.pointer ? null : (field.codec().zero(state) ?? null);

  const decode: Decoder = (value, state) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return state.wrongType(jsonKind(value), goType);
    const source = value as Container;
    /** The fields that are set, in order, and their values. */
    const indices: number[] = [];
    const values: unknown[] = [];
    /** The names of the fields that were set to empty lists or maps. */
    let empty: string[] | undefined;
    for (const name of Object.keys(source)) {
      const index = indexOf.get(name);
      const field = index === undefined ? undefined : fields[index];
      if (index === undefined || field === undefined) {
        if (source[name] !== undefined) state.unknownField(name);
        continue;
      }
      const decoded = state.repeats
        ? decodeInTurn(field, index, source[name], state)
        : decodeField(field, source[name], state);
      if (decoded === undefined) continue;
      if (!field.drops(decoded, state)) insertByIndex(indices, values, index, decoded);
      else if (typeof decoded === 'object' && !state.canonical) (empty ??= []).push(name);
    }
    for (const index of always) {
      const field = fields[index];
      if (field !== undefined && !indices.includes(index)) insertByIndex(indices, values, index, unset(field, state));
    }
    const object: Container = {};
    for (let i = 0; i < indices.length; i++) setOwn(object, fields[indices[i] ?? 0]?.name ?? '', values[i]);
    if (empty !== undefined) object[emptied] = empty;
    return object;
  };
  return { decode, zero: (state) => decode({}, state) };
}
