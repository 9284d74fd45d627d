import { typeErrors } from '@apichain/managed-fields';
import { deepClone, equalityText, stringifyJson, type KubeObject, isRecord, type Plain } from '@apichain/meta';
import type { Type } from '@apichain/scheme';

/**
 * Merges the result of an ApplyConfiguration expression into an object, as server-side apply does but without field managers: maps by key, lists
 * of maps by their keys, sets by value. Throws Error with the reason when the configuration does not fit the type, or sets something that can only
 * be replaced as a whole. After k8s.io/apiserver/pkg/admission/plugin/policy/mutating/patch/smd.go.
 */
export function mergeConfiguration(object: KubeObject, patch: Plain, type: Type): KubeObject {
  const misfit = typeErrors(type, patch);
  if (misfit !== undefined) throw new Error(`failed to convert patch object to typed object: ${misfit}`);
  const atomics: string[] = [];
  inspect(patch, type, '', atomics);
  if (atomics.length > 0)
    throw new Error(`invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${atomics.join(', ')}`);
  // A custom resource has not been checked against its schema yet, so its values may not fit the type.
  const original = typeErrors(type, object, true);
  if (original !== undefined) throw new Error(`failed to convert original object to typed object: ${original}`);
  return merged(object, patch, type) as KubeObject;
}

const fieldType = (type: Type, name: string): Type | undefined => type.byName?.get(name)?.type ?? type.values;
const isList = (type: Type) => type.kind === 'array';
const isAtomicList = ({ listType }: Type) => listType !== 'map' && listType !== 'set';
const isFree = ({ kind }: Type) => kind === 'json' || kind === 'rawExtension' || kind === 'fieldsV1';

/** Collects the paths of the patch that can only be replaced as a whole. */
function inspect(value: unknown, type: Type, path: string, atomics: string[]): void {
  if (isFree(type)) return;
  if (Array.isArray(value) && isList(type)) {
    if (isAtomicList(type)) {
      atomics.push(path);
      return;
    }
    for (const [i, item] of value.entries())
      if (type.items !== undefined) inspect(item, type.items, `${path}[${i}]`, atomics);
    return;
  }
  if (!isRecord(value) || (type.kind !== 'object' && type.kind !== 'map')) return;
  if (type.mapType === 'atomic') atomics.push(path);
  for (const [name, member] of Object.entries(value)) {
    const below = fieldType(type, name);
    if (below !== undefined) inspect(member, below, `${path}.${name}`, atomics);
  }
}

function merged(live: unknown, patch: unknown, type: Type | undefined): unknown {
  if (type === undefined) return deepClone(patch);
  if (isRecord(live) && isRecord(patch) && !isFree(type)) {
    const result: Plain = { ...live };
    for (const [name, member] of Object.entries(patch))
      Object.defineProperty(result, name, {
        value: merged(Object.hasOwn(live, name) ? live[name] : undefined, member, fieldType(type, name)),
        writable: true,
        enumerable: true,
        configurable: true,
      });
    return result;
  }
  if (Array.isArray(live) && Array.isArray(patch) && isList(type)) return mergedList(live, patch, type);
  return deepClone(patch);
}

function mergedList(live: readonly unknown[], patch: readonly unknown[], type: Type): unknown[] {
  const result = [...live];
  if (type.listType === 'set') {
    const present = new Set(live.map(equalityText));
    for (const item of patch) {
      const text = equalityText(item);
      if (present.has(text)) continue;
      present.add(text);
      result.push(deepClone(item));
    }
    return result;
  }
  const keys = type.listMapKeys ?? [];
  const keyOf = (item: unknown) =>
    stringifyJson(
      keys.map((key) => (isRecord(item) ? item[key] : undefined) ?? type.items?.byName?.get(key)?.type.default ?? null),
    );
  const positions = new Map<string, number>();
  for (const [i, item] of live.entries()) {
    const key = keyOf(item);
    if (!positions.has(key)) positions.set(key, i);
  }
  for (const item of patch) {
    const key = keyOf(item);
    const at = positions.get(key);
    if (at === undefined) {
      positions.set(key, result.length);
      result.push(deepClone(item));
    } else result[at] = merged(result[at], item, type.items);
  }
  return result;
}
