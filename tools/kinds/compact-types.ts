/** Converts the types of one group-version from the facts form to the compact form of libs/kinds/src/types.ts. */
export interface FactsField {
  name: string;
  type: string;
  [key: string]: unknown;
}
export interface FactsType {
  alias?: string;
  fields?: FactsField[];
  list?: string;
  [key: string]: unknown;
}
export interface FactsFile {
  group: string;
  version: string;
  types: Record<string, FactsType>;
}

type Extras = Record<string, unknown>;
type CompactField = [name: string, type: string, flags: string, proto: number, extras?: Extras];

const fieldFlags: readonly (readonly [fact: string, flag: string])[] = [
  ['inline', 'i'],
  ['pointer', 'p'],
  ['omitempty', 'o'],
  ['omitzero', 'z'],
  ['required', 'r'],
  ['itemPointer', 'P'],
  ['protoWrapped', 'w'],
  ['unionDiscriminator', 'd'],
];
const fieldExtras: readonly (readonly [fact: string, key: string])[] = [
  ['cast', 'cast'],
  ['enum', 'enum'],
  ['itemsEnum', 'items'],
  ['patchStrategy', 'patch'],
  ['patchMergeKey', 'mergeKey'],
  ['listType', 'list'],
  ['listMapKeys', 'keys'],
  ['mapType', 'map'],
  ['structType', 'map'],
  ['default', 'default'],
];
const typeFlags: readonly (readonly [fact: string, flag: string])[] = [
  ['gvk', 'g'],
  ['isList', 'l'],
  ['typeMetaOnly', 'm'],
  ['namespaced', 'n'],
  ['noProtobuf', 'x'],
  ['registeredInEveryGroup', 'e'],
];

const flagsOf = (fact: Record<string, unknown>, table: typeof fieldFlags): string =>
  table.map(([name, flag]) => (fact[name] === true ? flag : '')).join('');

/** The protobuf wire type that follows from the type. The facts' `protoType` is kept only where it differs. */
function usualProtoType(type: string): string {
  if (type === 'int32' || type === 'int64' || type === 'bool') return 'varint';
  return type === 'float64' ? 'fixed64' : 'bytes';
}

function compactField(field: FactsField): CompactField {
  const extras: Extras = {};
  for (const [fact, key] of fieldExtras) if (field[fact] !== undefined) extras[key] = field[fact];
  const protoType = field['protoType'];
  if (protoType !== undefined && protoType !== usualProtoType(field.type)) extras['proto'] = protoType;
  const proto = typeof field['proto'] === 'number' ? field['proto'] : 0;
  const compact: CompactField = [field.name, field.type, flagsOf(field, fieldFlags), proto];
  if (Object.keys(extras).length > 0) compact.push(extras);
  return compact;
}

function compactType(type: FactsType): unknown {
  if (type.alias !== undefined) {
    if (type['goAlias'] === true) return { same: type.alias };
    return type['structAlias'] === true ? { like: type.alias } : { alias: type.alias };
  }
  const fields = (type.fields ?? []).filter((field) => field['jsonSkip'] !== true && field['noJsonTag'] !== true);
  const flags = flagsOf(type, typeFlags);
  return {
    ...(flags === '' ? {} : { flags }),
    ...(type['structType'] === undefined ? {} : { map: type['structType'] }),
    fields: fields.map(compactField),
  };
}

/** All types of the file, by name. */
export function compactGroupVersion(facts: FactsFile): Record<string, unknown> {
  const types = Object.entries(facts.types).filter(([, type]) => type.alias?.includes('/') !== true);
  return Object.fromEntries(types.map(([name, type]) => [name, compactType(type)]));
}

/** The registered kinds of the group-version: name -> flags as in the type tables. */
export function registeredTypes(facts: FactsFile): Record<string, string> {
  const kinds = Object.entries(facts.types).filter(([, type]) => type['registered'] === true);
  return Object.fromEntries(kinds.map(([name, type]) => [name, flagsOf(type, typeFlags)]));
}
