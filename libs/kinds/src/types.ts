import { lazy, type GroupVersion, type GroupVersionKind, type JsonValue } from '@apichain/meta';
import type { Field, ProtoEmbedding, Type, TypeKind } from '@apichain/scheme';
import { readGenerated } from './generated-file.ts';

/*
 * The generated tables, one file a group-version under generated/types. A type is one of
 *   { same: T }               another name of T (Go type alias)
 *   { like: T }               a type of its own with the fields of T
 *   { alias: T }              a named non-struct type
 *   { fields, flags?, map? }  a struct; flags: g = kind with ObjectMeta, l = list kind, m = TypeMeta only, n = namespaced,
 *                             x = no protobuf form, e = registered in every group-version; map: granular | atomic
 * A field is [JSON name, type, flags, protobuf number or 0, extras?]; flags: i inline, p pointer, o omitempty, z omitzero,
 * r required, P list of pointers, w list in a protobuf message of its own, d union discriminator.
 */
interface FieldExtras {
  cast?: string;
  enum?: JsonValue[];
  items?: JsonValue[];
  patch?: string;
  mergeKey?: string;
  list?: 'atomic' | 'set' | 'map';
  keys?: string[];
  map?: 'granular' | 'atomic';
  default?: JsonValue;
  proto?: string;
}
type CompactField = readonly [name: string, type: string, flags: string, proto: number, extras?: FieldExtras];
interface CompactType {
  same?: string;
  like?: string;
  alias?: string;
  flags?: string;
  map?: 'granular' | 'atomic';
  fields?: readonly CompactField[];
}
type CompactFile = Readonly<Record<string, CompactType>>;
type RegisteredFile = Readonly<
  Record<string, { group: string; version: string; kinds: Readonly<Record<string, string>> }>
>;
type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** A registered kind in the table, without its fields. */
interface RegisteredKind extends GroupVersionKind {
  readonly typeName: string;
  /** TypeMeta and ObjectMeta. */
  readonly isObject: boolean;
  /** TypeMeta, ListMeta and items. */
  readonly isList: boolean;
  readonly namespaced: boolean;
  readonly hasProtobuf: boolean;
  /** Options kinds and WatchEvent, which every group-version registers. */
  readonly inEveryGroup: boolean;
}

const specialKinds: Readonly<Record<string, TypeKind>> = {
  'meta.v1.Time': 'time',
  'meta.v1.MicroTime': 'microTime',
  'meta.v1.Duration': 'duration',
  'meta.v1.FieldsV1': 'fieldsV1',
  'resource.Quantity': 'quantity',
  'resource.QuantityValue': 'quantity',
  'intstr.IntOrString': 'intOrString',
  'runtime.RawExtension': 'rawExtension',
  'apiextensions.k8s.io.v1.JSON': 'json',
  'apiextensions.k8s.io.v1.JSONSchemaPropsOrBool': 'json',
  'apiextensions.k8s.io.v1.JSONSchemaPropsOrArray': 'json',
  'apiextensions.k8s.io.v1.JSONSchemaPropsOrStringArray': 'json',
};
const schemaUnion = /^(.+)\.JSONSchemaPropsOr/;

const primitives: Readonly<Record<string, Type>> = {
  string: { kind: 'string' },
  bool: { kind: 'boolean' },
  int: { kind: 'integer', format: 'int64' },
  int32: { kind: 'integer', format: 'int32' },
  int64: { kind: 'integer', format: 'int64' },
  float64: { kind: 'number', format: 'double' },
  '[]byte': { kind: 'bytes', format: 'byte' },
  'interface{}': { kind: 'json' },
};

/** The generated tables and the types made of them, on first use. They are alike for every server: gates are applied to objects, not to types. */
const files = new Map<string, CompactFile>();
const types = new Map<string, Type>();
const registered = lazy(() => readGenerated<RegisteredFile>('registered.json'));

/** The versions that have types, served or not. */
export const registeredVersions = (): GroupVersion[] =>
  Object.values(registered()).map(({ group, version }) => ({ group, version }));

/** `apps.v1.Deployment` -> [`apps.v1`, `Deployment`]. */
function splitName(name: string): readonly [groupVersion: string, typeName: string] {
  const dot = name.lastIndexOf('.');
  return [name.slice(0, dot), name.slice(dot + 1)];
}

function compactType(name: string): CompactType {
  const [groupVersion, typeName] = splitName(name);
  let file = files.get(groupVersion);
  if (file === undefined) {
    file = readGenerated<CompactFile>(`types/${groupVersion}.json`);
    files.set(groupVersion, file);
  }
  const compact = file[typeName];
  if (compact === undefined) throw new Error(`no type ${name} in the table of ${groupVersion}`);
  return compact;
}

const qualify = (groupVersion: string, expression: string): string =>
  expression.includes('.') ? expression : `${groupVersion}.${expression}`;

/** The type of a Go type expression such as `[]core.v1.Container`, `map[string]string` or `PodSpec`. */
function parseType(groupVersion: string, expression: string): Type {
  const primitive = primitives[expression];
  if (primitive !== undefined) return primitive;
  if (expression.startsWith('[]')) return { kind: 'array', items: parseType(groupVersion, expression.slice(2)) };
  const mapPrefix = 'map[string]';
  if (expression.startsWith(mapPrefix)) {
    return { kind: 'map', values: parseType(groupVersion, expression.slice(mapPrefix.length)) };
  }
  return namedType(qualify(groupVersion, expression));
}

function namedType(name: string): Type {
  const known = types.get(name);
  if (known !== undefined) return known;
  const special = specialKinds[name];
  if (special !== undefined) return specialType(name, special);
  const compact = compactType(name);
  const [groupVersion] = splitName(name);
  if (compact.same !== undefined) return remember(name, parseType(groupVersion, compact.same));
  if (compact.alias !== undefined) {
    return remember(name, { ...parseType(groupVersion, compact.alias), alias: name });
  }
  return structType(name, compact);
}

function remember(name: string, type: Type): Type {
  types.set(name, type);
  return type;
}

function specialType(name: string, kind: TypeKind): Type {
  const type: Mutable<Type> = { kind, name };
  types.set(name, type);
  const union = schemaUnion.exec(name);
  if (union !== null) type.items = namedType(`${union[1] ?? ''}.JSONSchemaProps`);
  return type;
}

/** A struct may contain itself, so the type is registered by name before its fields are built. */
function structType(name: string, compact: CompactType): Type {
  const type: Mutable<Type> = { kind: 'object', name };
  const source = compact.like === undefined ? name : qualify(splitName(name)[0], compact.like);
  const definition = compact.like === undefined ? compact : compactType(source);
  if (definition.map !== undefined) type.mapType = definition.map;
  types.set(name, type);
  type.fields = fieldsOf(splitName(source)[0], definition);
  type.byName = new Map(type.fields.map((field) => [field.name, field]));
  return type;
}

/** Fields in declaration order; the fields of inline structs take the place of the inline field. */
function fieldsOf(groupVersion: string, compact: CompactType): Field[] {
  return (compact.fields ?? []).flatMap((field) =>
    field[2].includes('i') ? inlineFields(groupVersion, field) : [makeField(groupVersion, field)],
  );
}

/** The struct at the end of a chain of aliases. */
function realName(name: string): string {
  const { same, like } = compactType(name);
  const target = same ?? like;
  return target === undefined ? name : realName(qualify(splitName(name)[0], target));
}

function inlineFields(groupVersion: string, [, expression, , number]: CompactField): Field[] {
  const typeName = realName(qualify(groupVersion, expression));
  const inner = fieldsOf(splitName(typeName)[0], compactType(typeName));
  // TypeMeta is part of the JSON, but in protobuf it is in the envelope.
  if (number === 0) return inner.map(({ proto: _, protoType: __, ...field }) => field);
  return inner.map((field) => {
    const embedding: ProtoEmbedding = { number, typeName };
    return {
      ...field,
      protoEmbedded: field.protoEmbedded === undefined ? embedding : { ...embedding, inner: field.protoEmbedded },
    };
  });
}

const usualProtoType = (type: Type): string => {
  if (type.kind === 'integer' || type.kind === 'boolean') return 'varint';
  return type.kind === 'number' ? 'fixed64' : 'bytes';
};

function makeField(groupVersion: string, compact: CompactField): Field {
  const [name, expression, flags, proto, extras = {}] = compact;
  const type = restrict(parseType(groupVersion, expression), flags, extras);
  const field: Mutable<Field> = { name, type };
  if (flags.includes('r')) field.required = true;
  if (flags.includes('o')) field.omitempty = true;
  if (flags.includes('z')) field.omitzero = true;
  if (flags.includes('p')) field.pointer = true;
  if (flags.includes('w')) field.protoWrapped = true;
  if (flags.includes('d')) field.unionDiscriminator = true;
  if (proto !== 0) {
    field.proto = proto;
    field.protoType = extras.proto ?? usualProtoType(type);
  }
  if (extras.patch !== undefined) field.patchStrategy = patchStrategies(extras.patch);
  if (extras.mergeKey !== undefined) field.patchMergeKey = extras.mergeKey;
  if (extras.default !== undefined) field.default = extras.default;
  return field;
}

function patchStrategies(text: string): ('merge' | 'replace' | 'retainKeys')[] {
  return text.split(',').map((strategy) => {
    if (strategy === 'merge' || strategy === 'replace' || strategy === 'retainKeys') return strategy;
    throw new Error(`unknown patch strategy ${strategy}`);
  });
}

/** Adds what a field declares about its type: enums, list and map types, named strings. Does not modify the shared type. */
function restrict(type: Type, flags: string, extras: FieldExtras): Type {
  const more: Mutable<Partial<Type>> = {};
  if (extras.enum !== undefined) more.enum = extras.enum;
  if (extras.list !== undefined) more.listType = extras.list;
  if (extras.keys !== undefined) more.listMapKeys = extras.keys;
  if (extras.map !== undefined) more.mapType = extras.map;
  if (flags.includes('P')) more.itemPointer = true;
  const element: Mutable<Partial<Type>> = {};
  if (extras.items !== undefined) element.enum = extras.items;
  if (extras.cast !== undefined) {
    if (type.items === undefined) more.alias = extras.cast;
    else element.alias = extras.cast;
  }
  if (Object.keys(element).length > 0) {
    if (type.items !== undefined) more.items = { ...type.items, ...element };
    if (type.values !== undefined) more.values = { ...type.values, ...element };
  }
  return Object.keys(more).length === 0 ? type : { ...type, ...more };
}

const metaKinds: Readonly<Record<string, string>> = { 'core.v1': 'meta.v1', 'meta.k8s.io.v1': 'meta.v1' };

/** The flags of a registered kind. The name is a client's: `toString` is none, though every object has such a member. */
function flagsOf(groupVersion: string, kind: string): string | undefined {
  const kinds = registered()[groupVersion]?.kinds;
  return kinds !== undefined && Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
}

/** The table's name of a registered kind's type; undefined when the group-version has no such kind. */
function typeNameOf({ group, version, kind }: GroupVersionKind): string | undefined {
  const groupVersion = `${group === '' ? 'core' : group}.${version}`;
  if (flagsOf(groupVersion, kind) !== undefined) return `${groupVersion}.${kind}`;
  const meta = flagsOf('meta.v1', kind);
  if (meta === undefined) return undefined;
  if (meta.includes('e') || metaKinds[groupVersion] !== undefined) return `meta.v1.${kind}`;
  return undefined;
}

/** The table of built-in types. The file of a group-version is read on first use. */
export const builtinTypes = {
  /** Type by its name in the table, e.g. `core.v1.PodSpec`, `meta.v1.ObjectMeta`. Throws Error when there is none. */
  type: (name: string): Type => namedType(name),
  /** The names of every type in a group-version's file, e.g. of `apps.v1`, `meta.v1`, `intstr`. */
  names: (groupVersion: string): string[] =>
    Object.keys(readGenerated<CompactFile>(`types/${groupVersion}.json`)).map((name) => `${groupVersion}.${name}`),
};

const protoOfPartialList: Readonly<Record<string, number>> = { items: 1, metadata: 2 };
/** The types of meta.k8s.io/v1beta1: those of v1, except that the fields of the list have other protobuf numbers. */
function partialTypeV1beta1(kind: string): Type | undefined {
  if (kind === 'PartialObjectMetadata') return namedType('meta.v1.PartialObjectMetadata');
  return kind === 'PartialObjectMetadataList' ? partialListV1beta1() : undefined;
}

const partialListV1beta1 = lazy((): Type => {
  const type = namedType('meta.v1.PartialObjectMetadataList');
  const fields = (type.fields ?? []).map((field) => {
    const proto = protoOfPartialList[field.name];
    return proto === undefined ? field : { ...field, proto };
  });
  return { ...type, fields };
});

/**
 * The type of a kind, or undefined when the group-version has no kind of that name. Options kinds and WatchEvent are in
 * every group-version; the unversioned kinds (Status, APIGroup, ...) are under `v1`; Table and PartialObjectMetadata are under `meta.k8s.io/v1`.
 */
export function builtinType(gvk: GroupVersionKind): Type | undefined {
  if (gvk.group === 'meta.k8s.io' && gvk.version === 'v1beta1') return partialTypeV1beta1(gvk.kind);
  const name = typeNameOf(gvk);
  return name === undefined ? undefined : namedType(name);
}

/** Every kind in the scheme of every group-version (entries of `meta` have the group `meta`). */
export function registeredKinds(): RegisteredKind[] {
  return Object.entries(registered()).flatMap(([prefix, { group, version, kinds }]) =>
    Object.entries(kinds).map(([kind, flags]) => ({
      group: group === 'core' ? '' : group,
      version,
      kind,
      typeName: `${prefix}.${kind}`,
      isObject: flags.includes('g'),
      isList: flags.includes('l'),
      namespaced: flags.includes('n'),
      hasProtobuf: !flags.includes('x'),
      inEveryGroup: flags.includes('e'),
    })),
  );
}
