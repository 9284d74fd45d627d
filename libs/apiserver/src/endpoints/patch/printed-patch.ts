import {
  isJsonObject,
  applyJsonPatch,
  applyMergePatch,
  hasAtMost,
  setOwn,
  stringifyJson,
  type DocumentFacts,
  type JsonObject,
  type JsonPatchOperation,
  type JsonValue,
} from '@apichain/meta';

/** Documents with more members are printed in their own order, because sorting them would block the event loop for too long. */
const maxOrderedMembers = 5_000;

/** The patched document in error messages. `exact` prints it as kube-apiserver does, and is used unless the document or the patch is too large. */
export const shownDocument = (document: JsonValue, patch: unknown, exact: () => string): string =>
  hasAtMost([document, patch], maxOrderedMembers) ? exact() : stringifyJson(document);

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

const placesOf = (names: readonly string[]): ReadonlyMap<string, number> =>
  new Map(names.map((name, place) => [name, place]));
const metadataPlaces = placesOf(metadataOrder);
const entryPlaces = placesOf(entryOrder);

/** Members with a defined position come first, in that order; the others keep their order. */
function ordered(value: JsonObject, places: ReadonlyMap<string, number>): JsonObject {
  const place = (name: string) => places.get(name) ?? places.size;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => place(a) - place(b)));
}

function sortedKeys(value: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((name) => [name, value[name] ?? null]),
  );
}

/** Sorts the keys of all nested objects, as Go encodes a map. */
function sortedDeep(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sortedDeep);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(sortedKeys(value)).map(([name, member]) => [name, sortedDeep(member ?? null)]),
  );
}

function structOrder(metadata: JsonObject): JsonObject {
  const { managedFields } = metadata;
  const inOrder = ordered(metadata, metadataPlaces);
  if (!Array.isArray(managedFields)) return inOrder;
  const entries = managedFields.map((entry) => (isJsonObject(entry) ? ordered(entry, entryPlaces) : entry));
  return { ...inOrder, managedFields: entries };
}

/** The key order in which Go encodes an object before a patch: sorted for a custom resource, otherwise the order of its types. */
export function encodedOrder(object: JsonObject, untyped: boolean): JsonValue {
  if (untyped) return sortedDeep(object);
  const { metadata } = object;
  return isJsonObject(metadata) ? { ...object, metadata: structOrder(metadata) } : object;
}

/** The result of a merge patch whose target is absent: null members are removed. */
function withoutNulls(value: JsonValue): JsonValue {
  const { placed } = applyMergePatch({}, { placed: value }) as JsonObject;
  return placed ?? null;
}

/**
 * The result of a merge patch, with keys in the order in which errors print it. Objects that the patch changed or
 * added are sorted; other objects keep their order. Source: MergePatch of evanphx/json-patch v4.
 */
export const printedMerge = (document: JsonValue, patch: JsonValue): JsonValue =>
  isJsonObject(patch) ? mergedMember(document, patch) : sortedDeep(withoutNulls(patch));

function mergedMember(document: JsonValue, patch: JsonValue): JsonValue {
  if (!isJsonObject(document)) return sortedDeep(withoutNulls(patch));
  if (!isJsonObject(patch)) return patch;
  const merged: JsonObject = { ...document };
  for (const [name, member] of Object.entries(patch)) {
    const before = Object.hasOwn(document, name) ? (document[name] ?? null) : null;
    if (member === null) delete merged[name];
    else setOwn(merged, name, mergedMember(before, member ?? null));
  }
  return sortedKeys(merged);
}

const decodeToken = (token: string) => token.replace(/~[01]/g, (escape) => (escape === '~1' ? '/' : '~'));

/** A tree of JSON pointers, by their next token. */
type Ways = Map<string, Ways>;

function waysOf(pointers: readonly string[]): Ways {
  const ways: Ways = new Map();
  for (const pointer of pointers) {
    let way = ways;
    for (const token of pointer.split('/').slice(1).map(decodeToken)) {
      let next = way.get(token);
      if (next === undefined) {
        next = new Map<string, Ways>();
        way.set(token, next);
      }
      way = next;
    }
  }
  return ways;
}

/** Sorts the keys of every object on the paths of the pointers, but not of their targets. */
function sortOnTheWays(document: JsonValue, ways: Ways): JsonValue {
  if (ways.size === 0) return document;
  if (Array.isArray(document)) {
    const items = [...document];
    for (const [token, next] of ways) {
      const item = items[Number(token)];
      if (item !== undefined && String(Number(token)) === token) items[Number(token)] = sortOnTheWays(item, next);
    }
    return items;
  }
  if (!isJsonObject(document)) return document;
  const sorted = sortedKeys(document);
  for (const [token, next] of ways) {
    const member = Object.hasOwn(sorted, token) ? sorted[token] : undefined;
    if (member === undefined || next.size === 0) continue;
    Object.defineProperty(sorted, token, {
      value: sortOnTheWays(member, next),
      writable: true,
      enumerable: true,
      configurable: true,
    });
  }
  return sorted;
}

/** Like printedMerge for a JSON patch: only the objects on the paths of its operations are sorted. */
export function printedOperations(document: JsonValue, operations: readonly JsonPatchOperation[]): JsonValue {
  const pointers = operations.flatMap(({ path, from }) => [path, from]).filter((part) => typeof part === 'string');
  // `test` operations change nothing, and would not match marked numbers.
  const changes = operations.filter(({ op }) => op !== 'test');
  const patched = applyJsonPatch(document, changes) as JsonValue;
  const printed = isJsonObject(patched) ? sortedKeys(patched) : patched;
  return sortOnTheWays(printed, waysOf(pointers));
}

const noLiterals: ReadonlyMap<string, string> = new Map();

/** The original text of numbers in a patch that the parsed value does not preserve, by path. */
export const numberLiteralsOf = ({ facts }: { facts?: DocumentFacts | undefined }): ReadonlyMap<string, string> =>
  facts?.numberLiterals ?? noLiterals;

const mark = '\u0001#';

/** Replaces such numbers by marked strings, which `withLiterals` turns back into the client's text. */
export function markLiterals(value: JsonValue, literals: ReadonlyMap<string, string>, path = ''): JsonValue {
  if (literals.size === 0) return value;
  if (Array.isArray(value)) return value.map((item, i) => markLiterals(item ?? null, literals, `${path}[${i}]`));
  if (isJsonObject(value)) {
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

/** Replaces the marked strings in a document's text by the numbers they stand for. */
export const withLiterals = (text: string): string => text.replace(/"\\u0001#([^"]*)"/g, '$1');

/** The number literals of a JSON patch by their paths in the patched document. */
export function literalsInDocument(
  document: JsonValue,
  operations: readonly JsonPatchOperation[],
  literals: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  if (literals.size === 0) return found;
  const ofOperations = literalsByOperation(literals);
  for (const [i, { op, path }] of operations.entries()) {
    const written = ofOperations.get(i);
    if (written === undefined || (op !== 'add' && op !== 'replace') || typeof path !== 'string') continue;
    const place = placeOf(document, path);
    for (const [rest, literal] of written) found.set(`${place}${rest}`, literal);
  }
  return found;
}

const valueOfOperation = /^\[(\d+)\]\.value/;

/** The number literals in operation values, by index of the operation, with paths relative to the value. */
function literalsByOperation(literals: ReadonlyMap<string, string>): Map<number, [string, string][]> {
  const found = new Map<number, [string, string][]>();
  for (const [path, literal] of literals) {
    const [start = '', index] = valueOfOperation.exec(path) ?? [];
    if (index === undefined) continue;
    const known = found.get(Number(index));
    const rest: [string, string] = [path.slice(start.length), literal];
    if (known === undefined) found.set(Number(index), [rest]);
    else known.push(rest);
  }
  return found;
}

/** A JSON pointer in the notation of decoding errors: `spec.containers[0].name`. */
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
      value = isJsonObject(value) ? value[token] : undefined;
    }
  }
  return place;
}
