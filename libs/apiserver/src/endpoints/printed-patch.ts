import {
  applyJsonPatch,
  applyMergePatch,
  setOwn,
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
export const printedMerge = (document: JsonValue, patch: JsonValue): JsonValue =>
  isObject(patch) ? mergedMember(document, patch) : sortedDeep(withoutNulls(patch));

function mergedMember(document: JsonValue, patch: JsonValue): JsonValue {
  if (!isObject(document)) return sortedDeep(withoutNulls(patch));
  if (!isObject(patch)) return patch;
  const merged: JsonObject = { ...document };
  for (const [name, member] of Object.entries(patch)) {
    const before = Object.hasOwn(document, name) ? (document[name] ?? null) : null;
    if (member === null) delete merged[name];
    else setOwn(merged, name, mergedMember(before, member ?? null));
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
  // Tests change nothing, and marked numbers are not what they ask for.
  const changes = operations.filter(({ op }) => op !== 'test');
  let printed = applyJsonPatch(document, changes) as JsonValue;
  if (isObject(printed)) printed = sortedKeys(printed);
  for (const pointer of pointers) printed = sortOnTheWay(printed, pointer.split('/').slice(1).map(decodeToken));
  return printed;
}

const mark = '\u0001#';

/** The patch with its numbers as texts that `withLiterals` turns back into what the client wrote. */
export function markLiterals(value: JsonValue, literals: ReadonlyMap<string, string>, path = ''): JsonValue {
  if (literals.size === 0) return value;
  if (Array.isArray(value)) return value.map((item, i) => markLiterals(item ?? null, literals, `${path}[${i}]`));
  if (isObject(value)) {
    const below = (name: string) => (path === '' ? name : `${path}.${name}`);
    const members = Object.entries(value).map(([name, item]) => [
      name,
      markLiterals(item ?? null, literals, below(name)),
    ]);
    return Object.fromEntries(members) as JsonObject;
  }
  const literal = literals.get(path);
  return literal === undefined ? value : `${mark}${literal}`;
}

/** The text of a document with marked numbers. */
export const withLiterals = (text: string): string => text.replace(/"\\u0001#([^"]*)"/g, '$1');

/** Where in the patched document the numbers of a JSON patch ended up, by the paths of that document. */
export function literalsInDocument(
  document: JsonValue,
  operations: readonly JsonPatchOperation[],
  literals: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  if (literals.size === 0) return found;
  for (const [i, { op, path }] of operations.entries()) {
    if ((op !== 'add' && op !== 'replace') || typeof path !== 'string') continue;
    const start = `[${i}].value`;
    const place = placeOf(document, path);
    for (const [from, literal] of literals) {
      if (from.startsWith(start)) found.set(`${place}${from.slice(start.length)}`, literal);
    }
  }
  return found;
}

/** A JSON pointer in the spelling of decoding errors: `spec.containers[0].name`. */
function placeOf(document: JsonValue, pointer: string): string {
  let place = '';
  let value: JsonValue | undefined = document;
  for (const token of pointer.split('/').slice(1).map(decodeToken)) {
    if (Array.isArray(value)) {
      const index: number = token === '-' ? value.length - 1 : Number(token);
      place += `[${index}]`;
      value = value[index];
    } else {
      place += place === '' ? token : `.${token}`;
      value = isObject(value) ? value[token] : undefined;
    }
  }
  return place;
}
