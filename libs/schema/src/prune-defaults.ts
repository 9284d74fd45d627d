import { deepClone, deepEqual, isRecord, type JsonValue } from '@apichain/meta';
import type { Field, Type } from '@apichain/scheme';
import { hasDefaults } from './defaulting.ts';
import { coerceObjectMeta, type ObjectMetaRules } from './object-meta.ts';
import { prune } from './prune.ts';

/** Where a default stands: the names of members, `*` for any member of a map, and undefined for the items of a list. */
type Path = readonly (string | undefined)[];

/**
 * The type of a custom resource with its defaults pruned, each as a part of the whole object: by the schema, and by ObjectMeta in the metadata of
 * embedded resources, which no schema describes completely. A default of which nothing remains is removed. Returns the same type if nothing
 * changes. After PruneDefaults of k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting.
 */
export function pruneDefaults(root: Type, rules: ObjectMetaRules): Type {
  return pruneBelow(root, [], (value, path) => prunedAt(root, value, path, rules));
}

function prunedAt(root: Type, value: unknown, path: Path, rules: ObjectMetaRules): JsonValue | undefined {
  const whole = surrounded(deepClone(value), path);
  // Only objects can be the default of an object; validation refuses others.
  if (!isRecord(whole)) return value as JsonValue;
  coerceObjectMeta(whole, root, { rules, path: '', isResourceRoot: true, dropInvalidFields: true });
  prune(whole, root, true);
  return at(whole, path) as JsonValue | undefined;
}

const surrounded = (value: unknown, path: Path): unknown =>
  path.reduceRight((inner: unknown, name) => (name === undefined ? [inner] : { [name]: inner }), value);

function at(whole: unknown, path: Path): unknown {
  let value = whole;
  for (const name of path) {
    if (name === undefined) value = Array.isArray(value) ? value[0] : undefined;
    else value = isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  }
  return value;
}

function pruneBelow(type: Type, path: Path, pruned: (value: unknown, path: Path) => JsonValue | undefined): Type {
  if (!hasDefaults(type)) return type;
  let result = type;
  if (type.default !== undefined) {
    const kept = pruned(type.default, path);
    if (!deepEqual(kept, type.default)) {
      const { default: _old, ...rest } = type;
      result = kept === undefined ? rest : { ...rest, default: kept };
    }
  }
  const fields: Field[] = [];
  for (const field of type.fields ?? []) {
    const own = pruneBelow(field.type, [...path, field.name], pruned);
    fields.push(own === field.type ? field : { ...field, type: own });
  }
  if (fields.some((field, i) => field !== type.fields?.[i]))
    result = { ...result, fields, byName: new Map(fields.map((field) => [field.name, field])) };
  if (type.values !== undefined) {
    const values = pruneBelow(type.values, [...path, '*'], pruned);
    if (values !== type.values) result = { ...result, values };
  }
  if (type.items !== undefined) {
    const items = pruneBelow(type.items, [...path, undefined], pruned);
    if (items !== type.items) result = { ...result, items };
  }
  return result;
}
