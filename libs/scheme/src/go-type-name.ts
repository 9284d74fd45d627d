import type { Type } from './type.ts';

const primitiveNames: Readonly<Record<string, string>> = {
  string: 'string',
  boolean: 'bool',
  number: 'float64',
  bytes: '[]uint8',
  json: 'interface {}',
};

/** `core.v1.Container` -> `v1.Container`: Go prints a type with its package's name. */
const packageName = (name: string): string => name.split('.').slice(-2).join('.');

/** The few maps whose keys have a named type, by the type of their values. The key type is in the same package. */
const keyTypes: Readonly<Record<string, string>> = {
  ClaimResourceStatus: 'ResourceName',
  DeviceAttribute: 'QualifiedName',
  DeviceCapacity: 'QualifiedName',
};

function goMapName(values: Type): string {
  const held = goTypeName(values);
  const dot = held.indexOf('.') + 1;
  const key = keyTypes[held.slice(dot)];
  return `map[${key === undefined ? 'string' : held.slice(0, dot) + key}]${held}`;
}

/** The name of a type as Go's reflection prints it in decoding errors: `v1.ObjectMeta`, `[]v1.Container`, `map[string]string`, `int32`. */
export function goTypeName(type: Type): string {
  const name = type.alias ?? type.name;
  if (name !== undefined) return packageName(name);
  if (type.kind === 'array' && type.items !== undefined) {
    return `[]${type.itemPointer === true ? '*' : ''}${goTypeName(type.items)}`;
  }
  if (type.kind === 'map' && type.values !== undefined) return goMapName(type.values);
  if (type.kind === 'integer') return type.format ?? 'int64';
  return primitiveNames[type.kind] ?? type.kind;
}
