import { isContainer, isRecord, setOwn, type JsonObject } from '@apichain/meta';
import { goValueType } from '@apichain/go-text';
import { listPatchMetadata, patchMetadata, goKind, type PatchMetadata } from './patch-metadata.ts';
import {
  badArgType,
  badPatchType,
  badPrimitiveList,
  badRetainKeys,
  noMergeKey,
  StrategicMergePatchError,
} from './strategic-merge-error.ts';
import {
  checkElementOrder,
  directiveField,
  directiveMarker,
  elementType,
  indexByKey,
  normalizeOrder,
  type Container,
} from './strategic-merge-order.ts';
import type { Type } from './type.ts';

export { StrategicMergePatchError };

const retainKeys = '$retainKeys';
const deleteFromPrimitiveList = '$deleteFromPrimitiveList';
const setElementOrder = '$setElementOrder';

/**
 * Applies a strategic merge patch to an object of a built-in kind. `type` defines how each list and map is merged. The directives `$patch`,
 * `$retainKeys`, `$setElementOrder/<field>` and `$deleteFromPrimitiveList/<field>` are supported. The original is not changed. The patch is
 * consumed, because errors show its remaining part. The result shares parts with both and must still be decoded as the type.
 * Throws StrategicMergePatchError. Defined by k8s.io/apimachinery/pkg/util/strategicpatch,
 * https://github.com/kubernetes/community/blob/master/contributors/devel/sig-api-machinery/strategic-merge-patch.md
 */
export function applyStrategicMergePatch(original: JsonObject, patch: JsonObject, type: Type): Container {
  return mergeMap(original, patch, type);
}

/** Removes from the patch the directives that it has applied, and the lists whose order the patch states. */
function mergeMap(original: Container, patch: Container, type: Type): Container {
  if (Object.hasOwn(patch, directiveMarker)) return replaceMap(patch);
  const result: Container = { ...original };
  applyRetainKeys(result, patch);
  mergeOrderedLists(result, patch, type);
  for (const key of Object.keys(patch)) {
    mergeMember(result, key, patch[key], type);
  }
  return result;
}

function replaceMap(patch: Container): Container {
  const directive = patch[directiveMarker];
  if (directive === 'delete') return {};
  if (directive !== 'replace') throw badPatchType(directive, patch);
  delete patch[directiveMarker];
  return patch;
}

/** Keeps only the members that the directive lists. The patch may not set others. */
function applyRetainKeys(result: Container, patch: Container): void {
  if (!Object.hasOwn(patch, retainKeys)) return;
  const list = patch[retainKeys];
  delete patch[retainKeys];
  if (!Array.isArray(list)) throw badRetainKeys();
  const retained = new Set<unknown>(list);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null || key.startsWith(deleteFromPrimitiveList) || key.startsWith(setElementOrder)) continue;
    if (!retained.has(key)) throw badRetainKeys();
  }
  for (const key of Object.keys(result)) if (!retained.has(key)) delete result[key];
}

function optionalList(holder: Container, name: string): unknown[] | undefined {
  if (!Object.hasOwn(holder, name)) return undefined;
  const value = holder[name];
  if (!Array.isArray(value)) throw badArgType('[]interface {}', value);
  return value as unknown[];
}

/** Merges the lists whose order the patch states, and removes them from the patch. */
function mergeOrderedLists(result: Container, patch: Container, type: Type): void {
  for (const key of Object.keys(patch)) {
    if (!key.startsWith(setElementOrder)) continue;
    const order = patch[key];
    delete patch[key];
    if (!Array.isArray(order)) throw badArgType('[]interface {}', order);
    const name = directiveField(key, setElementOrder);
    const live = optionalList(result, name);
    const patched = optionalList(patch, name);
    const metadata = listPatchMetadata(type, name);
    // If the patch has no such list, Go passes a nil list, which has no elements.
    checkElementOrder(patched ?? [], order, metadata.mergeKey);
    if (live === undefined && patched === undefined) continue;
    const { merged, serverOrder } = mergeOptionalLists(live, patched, metadata);
    elementType(live ?? [], patched ?? []);
    setOwn(result, name, normalizeOrder(merged, order, serverOrder, metadata.mergeKey));
    delete patch[name];
  }
}

interface MergedList {
  readonly merged: unknown[];
  /** The server's order, which determines the position of elements that are not in the patch. */
  readonly serverOrder: readonly unknown[];
}

function mergeOptionalLists(
  live: unknown[] | undefined,
  patched: unknown[] | undefined,
  metadata: PatchMetadata,
): MergedList {
  if (patched === undefined) return { merged: live ?? [], serverOrder: live ?? [] };
  if (live === undefined) return { merged: itemsWithoutDirectives(patched), serverOrder: [] };
  return mergeLists(live, patched, metadata, false);
}

function mergeMember(result: Container, patchKey: string, value: unknown, type: Type): void {
  const isDeleteList = patchKey.startsWith(deleteFromPrimitiveList);
  const key = isDeleteList ? directiveField(patchKey, deleteFromPrimitiveList, badPrimitiveList) : patchKey;
  if (value === null) {
    delete result[key];
    return;
  }
  const present = Object.hasOwn(result, key) ? result[key] : undefined;
  if (present === undefined || goValueType(present) !== goValueType(value)) {
    if (isDeleteList) return;
    discardNulls(value);
    setWithoutDirectives(result, key, value);
    return;
  }
  if (isRecord(present) && isRecord(value))
    setOwn(result, key, mergeMapMember(present, value, patchMetadata(type, key)));
  else if (Array.isArray(present) && Array.isArray(value)) {
    setOwn(result, key, mergeLists(present, value, listPatchMetadata(type, key), isDeleteList).merged);
  } else setOwn(result, key, value);
}

function mergeMapMember(original: Container, patch: Container, metadata: PatchMetadata): Container {
  return metadata.strategy === 'replace' ? patch : mergeMap(original, patch, metadata.type);
}

function mergeLists(original: unknown[], patch: unknown[], metadata: PatchMetadata, isDeleteList: boolean): MergedList {
  if (metadata.strategy !== 'merge' && !isDeleteList) return { merged: patch, serverOrder: original };
  if (original.length === 0 && patch.length === 0) return { merged: original, serverOrder: original };
  const { mergeKey } = metadata;
  if (elementType(original, patch) !== goValueType({})) {
    const both = [...new Set([...original, ...patch])];
    const named = new Set(patch);
    const merged = isDeleteList
      ? original.filter((item) => !named.has(item))
      : normalizeOrder(both, patch, original, mergeKey);
    return { merged, serverOrder: original };
  }
  if (mergeKey === undefined) {
    throw new StrategicMergePatchError(`cannot merge lists without merge key for ${goKind(metadata.type)}`);
  }
  const { live, additions, replaced } = obeyElementDirectives(original, patch, mergeKey);
  const elements = mergeElements(live, additions, mergeKey, metadata.type);
  const merged = normalizeOrder(elements, additions, live, mergeKey);
  // Go deletes and adds in place. Added elements reuse the slots of deleted ones, and count as the server's elements there.
  return { merged, serverOrder: replaced ? original : elements.slice(0, original.length) };
}

/** Applies `$patch` in elements: delete removes matching elements from the live list, replace discards the live list. */
function obeyElementDirectives(original: readonly unknown[], patch: readonly unknown[], mergeKey: string) {
  const deleted = new Set<unknown>();
  let replaced = false;
  const additions: Container[] = [];
  for (const item of patch) {
    if (!isRecord(item)) throw badArgType('map[string]interface {}', item);
    if (!Object.hasOwn(item, directiveMarker)) {
      additions.push(item);
      continue;
    }
    const directive = item[directiveMarker];
    if (directive === 'replace') replaced = true;
    else if (directive === 'delete') {
      if (!Object.hasOwn(item, mergeKey)) throw noMergeKey(item, mergeKey);
      deleted.add(item[mergeKey]);
    } else if (directive === 'merge') {
      throw new StrategicMergePatchError('merging lists cannot yet be specified in the patch');
    } else throw badPatchType(directive, item);
  }
  const isKept = (present: unknown) =>
    !isRecord(present) || !Object.hasOwn(present, mergeKey) || !deleted.has(present[mergeKey]);
  const live: unknown[] = deleted.size === 0 ? [...original] : original.filter(isKept);
  return { live: replaced ? additions : live, additions: replaced ? [] : additions, replaced };
}

function mergeElements(
  live: readonly unknown[],
  additions: readonly Container[],
  mergeKey: string,
  type: Type,
): unknown[] {
  const merged = [...live];
  if (additions.length === 0) return merged;
  const positions = indexByKey(merged, mergeKey);
  for (const item of additions) {
    if (!Object.hasOwn(item, mergeKey)) throw noMergeKey(item, mergeKey);
    const value = item[mergeKey];
    const index = positions.get(value);
    const present = index === undefined ? undefined : merged[index];
    if (index === undefined || !isRecord(present)) {
      positions.set(value, merged.push(item) - 1);
      continue;
    }
    const element = mergeMap(present, item, type);
    merged[index] = element;
    // A merge key that the patch sets to null is removed by the merge.
    if (element[mergeKey] !== value) positions.delete(value);
  }
  return merged;
}

/** Removes null members, which have no effect where there is nothing to delete. */
function discardNulls(value: unknown): void {
  if (Array.isArray(value)) {
    for (const item of value) {
      if (isContainer(item)) discardNulls(item);
    }
  }
  if (!isRecord(value)) return;
  for (const key of Object.keys(value)) {
    const member = value[key];
    if (member === null) delete value[key];
    else if (isContainer(member)) discardNulls(member);
  }
}

/** The value without the directives in it; undefined if the value is a directive itself. */
function withoutDirectives(value: unknown): unknown {
  if (Array.isArray(value)) return itemsWithoutDirectives(value);
  if (!isRecord(value)) return value;
  if (Object.hasOwn(value, directiveMarker)) return undefined;
  for (const key of Object.keys(value)) {
    const member = value[key];
    if (isContainer(member)) setWithoutDirectives(value, key, member);
  }
  return value;
}

function itemsWithoutDirectives(list: readonly unknown[]): unknown[] {
  const kept: unknown[] = [];
  for (const item of list) {
    const stripped = isContainer(item) ? withoutDirectives(item) : item;
    if (stripped !== undefined) kept.push(stripped);
  }
  return kept;
}

function setWithoutDirectives(target: Container, key: string, value: unknown): void {
  const stripped = withoutDirectives(value);
  if (stripped === undefined) delete target[key];
  else setOwn(target, key, stripped);
}
