import {
  applyJsonPatch,
  applyMergePatch,
  type JsonObject,
  type JsonPatchOperation,
  type JsonValue,
} from '@apichain/meta';

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Go's order of the members of ObjectMeta. */
const metadataOrder = [
  'name',
  'generateName',
  'namespace',
  'selfLink',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'labels',
  'annotations',
  'ownerReferences',
  'finalizers',
  'managedFields',
];

const entryOrder = ['manager', 'operation', 'apiVersion', 'time', 'fieldsType', 'fieldsV1', 'subresource'];

/** The members that are named first in their order, then the others as they come. */
function ordered(value: JsonObject, names: readonly string[]): JsonObject {
  const place = (name: string) => {
    const at = names.indexOf(name);
    return at < 0 ? names.length : at;
  };
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => place(a) - place(b)));
}

const sortedKeys = (value: JsonObject): JsonObject => ordered(value, Object.keys(value).sort());

/** Sorted through and through, as Go writes a map. */
function sortedDeep(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sortedDeep);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(sortedKeys(value)).map(([name, member]) => [name, sortedDeep(member ?? null)]),
  );
}

function structOrder(metadata: JsonObject): JsonObject {
  const { managedFields } = metadata;
  const inOrder = ordered(metadata, metadataOrder);
  if (!Array.isArray(managedFields)) return inOrder;
  const entries = managedFields.map((entry) => (isObject(entry) ? ordered(entry, entryOrder) : entry));
  return { ...inOrder, managedFields: entries };
}

/** An object as it is written out for a patch: a custom one as a map, any other in the order of its types. */
export function encodedOrder(object: JsonObject, untyped: boolean): JsonValue {
  if (untyped) return sortedDeep(object);
  const { metadata } = object;
  return isObject(metadata) ? { ...object, metadata: structOrder(metadata) } : object;
}

/** A value that a merge patch puts where there was nothing to merge with. */
function withoutNulls(value: JsonValue): JsonValue {
  const { placed } = applyMergePatch({}, { placed: value }) as JsonObject;
  return placed ?? null;
}

/**
 * A document after a merge patch, in the order in which errors show it: what the patch went through, and objects that it
 * brought, are sorted; the rest stands as it stood. Source: MergePatch of evanphx/json-patch v4.
 */
export function printedMerge(document: JsonValue, patch: JsonValue): JsonValue {
  if (!isObject(document)) return sortedDeep(withoutNulls(patch));
  if (!isObject(patch)) return patch;
  const merged: JsonObject = { ...document };
  for (const [name, member] of Object.entries(patch)) {
    const before = Object.hasOwn(document, name) ? (document[name] ?? null) : null;
    if (member === null) delete merged[name];
    else merged[name] = printedMerge(before, member ?? null);
  }
  return sortedKeys(merged);
}

const decodeToken = (token: string) => token.replace(/~[01]/g, (escape) => (escape === '~1' ? '/' : '~'));

/** Sorts the members of every object on the way to what the pointer names. */
function sortOnTheWay(document: JsonValue, pointer: readonly string[]): JsonValue {
  const [token, ...rest] = pointer;
  if (token === undefined) return document;
  if (Array.isArray(document)) {
    return document.map((item, i) => (String(i) === token ? sortOnTheWay(item ?? null, rest) : item));
  }
  if (!isObject(document)) return document;
  const sorted = sortedKeys(document);
  const member = Object.hasOwn(sorted, token) ? sorted[token] : undefined;
  return member === undefined ? sorted : { ...sorted, [token]: sortOnTheWay(member, rest) };
}

/** As printedMerge, after the operations of a JSON patch: only the objects on their ways are sorted. */
export function printedOperations(document: JsonValue, operations: readonly JsonPatchOperation[]): JsonValue {
  const pointers = operations.flatMap(({ path, from }) => [path, from]).filter((part) => typeof part === 'string');
  let printed = applyJsonPatch(document, operations) as JsonValue;
  if (isObject(printed)) printed = sortedKeys(printed);
  for (const pointer of pointers) printed = sortOnTheWay(printed, pointer.split('/').slice(1).map(decodeToken));
  return printed;
}
