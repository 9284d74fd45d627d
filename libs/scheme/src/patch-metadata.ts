import { StrategicMergePatchError } from './strategic-merge-error.ts';
import type { Type, TypeKind } from './type.ts';

/** The merge rules in the struct tags of one field. */
export interface PatchMetadata {
  /** The field's type; for a list, the type of its elements. */
  readonly type: Type;
  readonly strategy: 'merge' | 'replace' | undefined;
  readonly mergeKey: string | undefined;
}

const goKinds: Partial<Record<TypeKind, string>> = {
  map: 'map',
  array: 'slice',
  bytes: 'slice',
  string: 'string',
  integer: 'int64',
  number: 'float64',
  boolean: 'bool',
};

/** Go's reflect.Kind of a type. Kinds with their own text form are structs. */
export const goKind = (type: Type): string =>
  type.kind === 'integer' ? (type.format ?? 'int64') : (goKinds[type.kind] ?? 'struct');

/** Throws StrategicMergePatchError if the type is not a struct or does not have the field. */
export function patchMetadata(owner: Type, name: string): PatchMetadata {
  const kind = goKind(owner);
  if (kind !== 'struct') {
    throw new StrategicMergePatchError(`merging an object in json but data type is not struct, instead is: ${kind}`);
  }
  const field = owner.byName?.get(name);
  if (field === undefined) {
    const struct = (owner.name ?? '').split('.').pop() ?? '';
    throw new StrategicMergePatchError(`unable to find api field in struct ${struct} for the json field "${name}"`);
  }
  const strategy = field.patchStrategy?.find((one) => one !== 'retainKeys');
  return { type: field.type, strategy, mergeKey: field.patchMergeKey };
}

/** Like patchMetadata, with the type of the list's elements. */
export function listPatchMetadata(owner: Type, name: string): PatchMetadata {
  const metadata = patchMetadata(owner, name);
  const { type } = metadata;
  if (type.kind === 'array' && type.items !== undefined) {
    if (type.items.kind === 'array') throw new StrategicMergePatchError('unexpected slice of slice');
    return { ...metadata, type: type.items };
  }
  if (owner.byName?.get(name)?.pointer === true) return metadata;
  throw new StrategicMergePatchError(`expected slice or array type, but got: ${goKind(owner)}`);
}
