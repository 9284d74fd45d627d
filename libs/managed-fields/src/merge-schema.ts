import { oncePerObject } from '@apichain/meta';
import type { Field, Type } from '@apichain/scheme';
import { fieldElement, type PathElement } from './path-element.ts';
import { isEmptyObject, isObject, own, setOwn, type PlainObject } from './values.ts';

/**
 * The properties of a type that the merge engine needs: the shapes that a value may have, and whether lists and maps are owned as a whole or by
 * their parts. Derived from Type once; children are resolved on first use, because types are recursive.
 * https://kubernetes.io/docs/reference/using-api/server-side-apply/#merge-strategy
 */
export interface MergeSchema {
  readonly scalar?: 'numeric' | 'string' | 'boolean' | 'untyped';
  readonly list?: ListSchema;
  readonly map?: MapSchema;
  /** True if only one of the three shapes is allowed. */
  readonly single: boolean;
}

export interface ListSchema {
  readonly atomic: boolean;
  /** Sorted; empty for a set. */
  readonly keys: readonly string[];
  readonly element: MergeSchema;
}

export interface MapSchema {
  readonly atomic: boolean;
  readonly fields: ReadonlyMap<string, FieldSchema>;
  /** Fields that Go writes even when they have the zero value. */
  readonly zeroFields: readonly FieldSchema[];
  /** The schema of undeclared keys; undefined = undeclared keys are errors. */
  readonly element: MergeSchema | undefined;
  /** A free-form object whose fields have no schema. */
  readonly deduced: boolean;
}

export interface FieldSchema {
  readonly name: string;
  readonly element: PathElement;
  readonly schema: MergeSchema;
  readonly default?: unknown;
  /** The zero value that Go's encoder writes; undefined = it omits the field. */
  readonly zero: unknown;
  /** Whether Go's encoder omits an empty value. */
  readonly omitsEmpty: boolean;
  /** Whether null means that the field is not set, as in a Go struct; elsewhere null is a value. */
  readonly nullIsUnset: boolean;
}

const noFields: ReadonlyMap<string, FieldSchema> = new Map();

/** Owned as a whole, whatever the value is: RawExtension, and the items of lists without a schema. */
const atomicSchema: MergeSchema = {
  scalar: 'untyped',
  single: false,
  list: {
    atomic: true,
    keys: [],
    get element() {
      return atomicSchema;
    },
  },
  map: {
    atomic: true,
    fields: noFields,
    zeroFields: [],
    deduced: false,
    get element() {
      return atomicSchema;
    },
  },
};

/** For values without a schema: maps are owned by key, lists as a whole. */
const deducedSchema: MergeSchema = {
  scalar: 'untyped',
  single: false,
  list: { atomic: true, keys: [], element: atomicSchema },
  map: {
    atomic: false,
    fields: noFields,
    zeroFields: [],
    deduced: true,
    get element() {
      return deducedSchema;
    },
  },
};

const scalarSchemas = {
  numeric: { scalar: 'numeric', single: true },
  string: { scalar: 'string', single: true },
  boolean: { scalar: 'boolean', single: true },
  untyped: { scalar: 'untyped', single: true },
} as const satisfies Record<string, MergeSchema>;

const closedSchema = oncePerObject((type: Type) => makeSchema(type, false));
const openSchema = oncePerObject((type: Type) => makeSchema(type, true));

/** The schema of a type; the same object for the same type. */
export const mergeSchemaOf = (type: Type): MergeSchema => schemaOf(type, false);

function schemaOf(type: Type, open: boolean): MergeSchema {
  // A named type defines for itself whether unknown fields are preserved; only unnamed types inherit it. The metadata of an embedded resource, for
  // example, does not.
  const stays = (open && type.name === undefined) || type.preserveUnknownFields === true;
  return stays ? openSchema(type) : closedSchema(type);
}

function makeSchema(type: Type, open: boolean): MergeSchema {
  switch (type.kind) {
    case 'object':
    case 'map':
      return { map: makeMap(type, open), single: true };
    case 'array':
      return { list: makeList(type, open, type.listType, type.listMapKeys ?? []), single: true };
    case 'string':
      return stringSchema(type.format ?? type.validation?.format);
    case 'bytes':
    case 'duration':
      return scalarSchemas.string;
    case 'integer':
    case 'number':
      return scalarSchemas.numeric;
    case 'boolean':
      return scalarSchemas.boolean;
    case 'time':
    case 'microTime':
    case 'quantity':
      return scalarSchemas.untyped;
    case 'intOrString':
      return { ...deducedSchema, single: false };
    case 'rawExtension':
      return atomicSchema;
    case 'fieldsV1':
    case 'json':
      return makeJson(type, open);
  }
}

const stringSchema = (format: string | undefined): MergeSchema =>
  format === undefined || format === '' || format === 'byte' ? scalarSchemas.string : scalarSchemas.untyped;

function makeJson(type: Type, open: boolean): MergeSchema {
  if (type.fields === undefined && type.values === undefined) return deducedSchema;
  return { ...deducedSchema, map: makeMap(type, open) };
}

function makeMap(type: Type, open: boolean): MapSchema {
  const { values } = type;
  let element: MergeSchema | undefined;
  let fields: ReadonlyMap<string, FieldSchema> | undefined;
  let zeroFields: readonly FieldSchema[] | undefined;
  const declared = type.fields ?? [];
  const isFreeForm = values === undefined && (open || declared.length === 0);
  return {
    atomic: type.mapType === 'atomic',
    deduced: isFreeForm && declared.length === 0,
    get fields() {
      return (fields ??= makeFields(type, open));
    },
    get zeroFields() {
      return (zeroFields ??= [...makeFields(type, open).values()].filter((field) => field.zero !== undefined));
    },
    get element() {
      if (isFreeForm) return deducedSchema;
      return values === undefined ? undefined : (element ??= schemaOf(values, open));
    },
  };
}

/** Fields of a Go struct follow Go's encoder. Fields of a custom resource are simply present or absent. */
function makeFields(type: Type, open: boolean): ReadonlyMap<string, FieldSchema> {
  const isGoStruct = type.name !== undefined;
  return new Map((type.fields ?? []).map((field) => [field.name, makeField(field, open, isGoStruct)]));
}

function makeField(field: Field, open: boolean, isGoStruct: boolean): FieldSchema {
  let schema: MergeSchema | undefined;
  const omitsEmpty = isGoStruct && !field.pointer && (omitsWhenEmpty(field) || field.omitzero === true);
  const zero = isGoStruct ? zeroOf(field) : undefined;
  return {
    name: field.name,
    element: fieldElement(field.name),
    // In the published schema of a Go struct, a field that is always written has its zero value as the default.
    default: field.default ?? field.type.default ?? zero ?? undefined,
    omitsEmpty,
    nullIsUnset: isGoStruct,
    zero,
    get schema() {
      return (schema ??= fieldSchema(field, open));
    },
  };
}

function fieldSchema(field: Field, open: boolean): MergeSchema {
  const { type } = field;
  const isMerged = type.kind === 'array' && type.listType === undefined && field.patchStrategy?.[0] === 'merge';
  if (!isMerged) return schemaOf(type, open);
  const keys = field.patchMergeKey === undefined ? [] : [field.patchMergeKey];
  return { list: makeList(type, open, keys.length > 0 ? 'map' : 'set', keys), single: true };
}

function makeList(type: Type, open: boolean, listType: Type['listType'], listMapKeys: readonly string[]): ListSchema {
  const { items } = type;
  let element: MergeSchema | undefined;
  return {
    atomic: listType !== 'set' && listType !== 'map',
    keys: listType === 'map' ? [...listMapKeys].sort() : [],
    get element() {
      return (element ??= items === undefined ? atomicSchema : schemaOf(items, open));
    },
  };
}

const structKinds = new Set<Type['kind']>([
  'object',
  'time',
  'microTime',
  'duration',
  'quantity',
  'intOrString',
  'rawExtension',
  'json',
  'fieldsV1',
]);

/** Go's omitempty has no effect on structs. */
const omitsWhenEmpty = (field: Field): boolean => field.omitempty === true && !structKinds.has(field.type.kind);

function zeroOf(field: Field): unknown {
  if (field.pointer) return field.omitempty || field.omitzero ? undefined : null;
  if (field.omitzero || omitsWhenEmpty(field)) return undefined;
  return zeroValue(field.type);
}

function zeroValue(type: Type): unknown {
  switch (type.kind) {
    case 'object':
      return zeroObject(type);
    case 'string':
      return '';
    case 'integer':
    case 'number':
    case 'intOrString':
      return 0;
    case 'boolean':
      return false;
    case 'duration':
      return '0s';
    case 'quantity':
      return '0';
    default:
      return null;
  }
}

/** The object that Go writes for a struct without any values set. */
export function zeroObject(type: Type): PlainObject {
  const out: PlainObject = {};
  if (type.name === undefined) return out;
  for (const field of type.fields ?? []) {
    const zero = zeroOf(field);
    if (zero !== undefined) setOwn(out, field.name, zero);
  }
  return out;
}

const isGoEmpty = (value: unknown): boolean =>
  value === '' ||
  value === 0 ||
  value === false ||
  value === null ||
  (typeof value === 'object' && isEmptyObject(value));

/**
 * The value of a field in a typed object: for an absent value, the zero value that Go's encoder writes; for an empty value that Go omits, undefined.
 */
export function typedValue(field: FieldSchema, value: unknown): unknown {
  if (value === undefined || (value === null && field.nullIsUnset)) return field.zero;
  return field.omitsEmpty && isGoEmpty(value) ? undefined : value;
}

/** `value` with the zero values that Go writes. Returns the same value when none is missing. */
export function withZeroFields(schema: MergeSchema, value: unknown): unknown {
  if (Array.isArray(value)) return zeroFilledList(schema, value);
  if (!isObject(value) || schema.map === undefined) return value;
  const { map } = schema;
  let out: PlainObject | undefined;
  for (const key of Object.keys(value)) {
    const field = map.fields.get(key);
    const element = field?.schema ?? map.element;
    const before = value[key];
    const typed = field === undefined ? before : typedValue(field, before);
    const after = element === undefined ? typed : withZeroFields(element, typed);
    if (after === before) continue;
    out ??= { ...value };
    if (after === undefined) delete out[key];
    else setOwn(out, key, after);
  }
  for (const field of map.zeroFields) {
    if (own(value, field.name) === undefined) setOwn((out ??= { ...value }), field.name, field.zero);
  }
  return out ?? value;
}

function zeroFilledList(schema: MergeSchema, list: unknown[]): unknown {
  const element = schema.list?.element;
  if (element?.map === undefined) return list;
  const filled = list.map((item) => withZeroFields(element, item));
  return filled.some((item, i) => item !== list[i]) ? filled : list;
}
