import { oncePerObject } from '@apichain/meta';
import type { Type } from '@apichain/scheme';
import * as types from './types.ts';
import type { CelType, DeclField, DeclType } from './types.ts';

const keywords: ReadonlySet<string> = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);
const escapes: readonly (readonly [string, string])[] = [
  ['__', '__underscores__'],
  ['.', '__dot__'],
  ['-', '__dash__'],
  ['/', '__slash__'],
];

/** The name of a property in expressions; undefined if expressions cannot refer to it. */
export function escapeName(name: string): string | undefined {
  if (keywords.has(name)) return `__${name}__`;
  if (!/^[A-Za-z_][A-Za-z0-9_.\-/]*$/.test(name)) return undefined;
  return name.replaceAll(/__|[./-]/g, (c) => escapes.find(([raw]) => raw === c)?.[1] ?? c);
}

/** The property for an escaped name. A text that is not an escaped name is returned unchanged. */
export function unescapeName(escaped: string): string {
  let isEscaped = true;
  const name = escaped.replaceAll(/__([^_]+)__/g, (whole, inner: string) => {
    const raw = escapes.find(([, escape]) => escape === whole)?.[0];
    if (raw !== undefined) return raw;
    isEscaped &&= keywords.has(inner) && whole === escaped;
    return inner;
  });
  return isEscaped ? name : escaped;
}

/** The field for a name in an expression. Keywords need not be escaped. */
export const fieldOf = (decl: DeclType | undefined, name: string): DeclField | undefined =>
  decl?.fields?.get(name) ?? (keywords.has(name) ? decl?.fields?.get(`__${name}__`) : undefined);

/** The largest size of a request, three megabytes. */
const maxRequestSize = 3 * 1024 * 1024;
const rootMetadata: Type = objectOf({ name: { kind: 'string' }, generateName: { kind: 'string' } });

function objectOf(fields: Record<string, Type>): Type {
  const list = Object.entries(fields).map(([name, type]) => ({ name, type }));
  return { kind: 'object', fields: list, byName: new Map(list.map((f) => [f.name, f])) };
}

/** The name of the type of `self`. kube-apiserver appends a unique number to it each time. */
export const selfTypeName = 'selfType';

/**
 * The declaration of a schema node, undefined if expressions cannot access its content. With `isResourceRoot`, apiVersion, kind and
 * metadata's names are declared even if the schema does not declare them. After k8s.io/apiserver/pkg/cel/common SchemaDeclType.
 */
export function declType(type: Type, isResourceRoot: boolean, name = selfTypeName): DeclType | undefined {
  if (type.kind === 'intOrString')
    return {
      kind: 'dyn',
      type,
      celType: types.dyn,
      minSize: 1,
      maxElements: type.validation?.maxLength === undefined ? maxRequestSize - 2 : type.validation.maxLength * 4,
    };
  if (isResourceRoot || type.kind === 'object') return new ObjectDecl(type, isResourceRoot, name);
  switch (type.kind) {
    case 'array':
      return listDecl(type, name);
    case 'map':
      return mapDecl(type, name);
    case 'string':
      return stringDecl(type);
    case 'boolean':
      return { kind: 'bool', type, celType: types.bool, minSize: 4 };
    case 'number':
      return { kind: 'double', type, celType: types.double, minSize: 1 };
    case 'integer':
      return { kind: 'int', type, celType: types.int, minSize: 1 };
    default:
      return undefined;
  }
}

function listDecl(type: Type, name: string): DeclType | undefined {
  const items = type.items;
  const elem = items && declType(items, items.embeddedResource === true, `${name}.@idx`);
  if (elem === undefined) return undefined;
  const maxElements = type.validation?.maxItems ?? Math.floor((maxRequestSize - 2) / (elem.minSize + 1));
  return { kind: 'list', type, celType: types.list(elem.celType), elem, maxElements, minSize: 2 };
}

function mapDecl(type: Type, name: string): DeclType | undefined {
  const values = type.values;
  // `additionalProperties: true` does not describe the values. Such a map is an object without fields.
  if (values?.kind === 'json' && values.preserveUnknownFields !== true) return new ObjectDecl(type, false, name);
  const elem = values && declType(values, values.embeddedResource === true, `${name}.@elem`);
  if (elem === undefined) return undefined;
  const maxElements = type.validation?.maxProperties ?? Math.floor((maxRequestSize - 2) / (elem.minSize + 6));
  return { kind: 'map', type, celType: types.map(types.string, elem.celType), elem, maxElements, minSize: 2 };
}

/** Whether a schema declares the fields that every resource has. */
function declaresMetadata({ byName }: Type): boolean {
  const metadata = byName?.get('metadata')?.type;
  const isText = (type: Type | undefined) => type?.kind === 'string';
  return (
    isText(byName?.get('kind')?.type) &&
    isText(byName?.get('apiVersion')?.type) &&
    isText(metadata?.byName?.get('name')?.type) &&
    isText(metadata?.byName?.get('generateName')?.type)
  );
}

/** The types of the fields of an object. */
function fieldTypes(type: Type, isResourceRoot: boolean): ReadonlyMap<string, Type> {
  const own = new Map((type.fields ?? []).map((f): [string, Type] => [f.name, f.type]));
  if (isResourceRoot && !declaresMetadata(type)) {
    own.set('apiVersion', { kind: 'string' });
    own.set('kind', { kind: 'string' });
    own.set('metadata', rootMetadata);
  }
  return own;
}

/** The minimum size of an object in a resource. It does not depend on the type's name. */
const minSizeWithin = oncePerObject((type: Type) => minSizeOf(type, false));

function minSizeOf(type: Type, isResourceRoot: boolean): number {
  const own = fieldTypes(type, isResourceRoot);
  let minSize = 2;
  for (const name of new Set(type.required ?? [])) {
    const required = own.get(name);
    if (required === undefined || required.default !== undefined) continue;
    const decl = declType(required, required.embeddedResource === true);
    if (decl !== undefined) minSize += name.length + decl.minSize + 4;
  }
  return minSize;
}

/** An object whose fields are declared on first use. Every rule has its own declaration, which includes those of all nested fields. */
class ObjectDecl implements DeclType {
  readonly kind = 'object';
  readonly type: Type;
  readonly celType: CelType;
  readonly #isResourceRoot: boolean;
  #fields: ReadonlyMap<string, DeclField> | undefined;

  constructor(type: Type, isResourceRoot: boolean, name: string) {
    this.type = type;
    this.#isResourceRoot = isResourceRoot;
    this.celType = { kind: 'object', name, params: [], decl: this };
  }

  get minSize(): number {
    return this.#isResourceRoot ? minSizeOf(this.type, true) : minSizeWithin(this.type);
  }

  get fields(): ReadonlyMap<string, DeclField> {
    this.#fields ??= this.#declared();
    return this.#fields;
  }

  #declared(): ReadonlyMap<string, DeclField> {
    const fields = new Map<string, DeclField>();
    for (const [name, type] of fieldTypes(this.type, this.#isResourceRoot)) {
      const escaped = escapeName(name);
      if (escaped === undefined) continue;
      const decl = declType(type, type.embeddedResource === true, `${this.celType.name}.${escaped}`);
      if (decl !== undefined) fields.set(escaped, { name, decl });
    }
    return fields;
  }
}

function stringDecl(type: Type): DeclType {
  const { format, maxLength } = type.validation ?? {};
  switch (format) {
    case 'byte':
      return { kind: 'bytes', type, celType: types.bytes, minSize: 2, maxElements: maxLength ?? maxRequestSize - 2 };
    case 'duration':
      return { kind: 'duration', type, celType: types.duration, minSize: 3, maxElements: 32 };
    case 'date':
      return { kind: 'timestamp', type, celType: types.timestamp, minSize: 12, maxElements: 12 };
    case 'date-time':
      return { kind: 'timestamp', type, celType: types.timestamp, minSize: 21, maxElements: 32 };
  }
  const maxElements = maxLength !== undefined ? maxLength * 4 : (longestText(type.enum ?? []) ?? maxRequestSize - 2);
  return { kind: 'string', type, celType: types.string, minSize: 2, maxElements };
}

/** The length in bytes of the longest text among values; undefined if there are none. */
const longestText = (values: readonly unknown[]): number | undefined =>
  values.reduce<number | undefined>(
    (longest, value) => Math.max(longest ?? 0, typeof value === 'string' ? Buffer.byteLength(value) : 0),
    undefined,
  );
