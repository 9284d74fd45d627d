import { goFormat, goValueType } from '@apichain/go-text';
import { isRecord } from '@apichain/meta';
import {
  badArgType,
  badSetElementOrder,
  noListOfLists,
  noMergeKey,
  StrategicMergePatchError,
} from './strategic-merge-error.ts';

export type Container = Record<string, unknown>;
export const directiveMarker = '$patch';

/** The Go type that all elements of the lists share. Throws StrategicMergePatchError for mixed types and nested lists. */
export function elementType(...lists: readonly (readonly unknown[])[]): string {
  const types = lists.flatMap((list) => list.map(goValueType));
  const [first] = types;
  if (first === undefined) throw new StrategicMergePatchError('no elements in any of the given slices');
  if (first === goValueType([])) throw noListOfLists();
  if (types.some((type) => type !== first)) {
    throw new StrategicMergePatchError(`list element types are not identical: ${goFormat(lists)}`);
  }
  return first;
}

/** The index of each element by its merge key value; the first index if elements share a value. */
export function indexByKey(list: readonly unknown[], mergeKey: string): Map<unknown, number> {
  const positions = new Map<unknown, number>();
  for (const [index, item] of list.entries()) {
    if (!isRecord(item)) throw new StrategicMergePatchError(`value for key ${index} is not a map`);
    if (!Object.hasOwn(item, mergeKey)) continue;
    const value = item[mergeKey];
    if (!positions.has(value)) positions.set(value, index);
  }
  return positions;
}

/** The identity of an element: its merge key value, or the element itself without a merge key. */
const identityOf = (item: unknown, mergeKey: string | undefined): unknown =>
  mergeKey === undefined ? item : isRecord(item) ? item[mergeKey] : undefined;

const isDeletion = (item: unknown): boolean => isRecord(item) && item[directiveMarker] === 'delete';

function requireMaps(list: readonly unknown[]): asserts list is readonly Container[] {
  for (const item of list) if (!isRecord(item)) throw badArgType('map[string]interface {}', item);
}

function requireMergeKey(list: readonly unknown[], mergeKey: string): void {
  for (const item of list) {
    if (!isRecord(item)) throw badArgType('map[string]interface {}', item);
    if (!Object.hasOwn(item, mergeKey)) throw noMergeKey(item, mergeKey);
  }
}

/** Splits a list into the elements that are also in `order`, and the others. */
function partition(list: readonly unknown[], order: readonly unknown[], mergeKey: string | undefined) {
  if (mergeKey !== undefined) {
    requireMergeKey(list, mergeKey);
    for (const [index, item] of order.entries()) {
      if (list.length > 0 && !isRecord(item)) throw new StrategicMergePatchError(`value for key ${index} is not a map`);
    }
  }
  const named = new Set(order.map((item) => identityOf(item, mergeKey)));
  const isNamed = (item: unknown) => named.has(identityOf(item, mergeKey));
  return { patchItems: list.filter(isNamed), serverItems: list.filter((item) => !isNamed(item)) };
}

function sortLike(list: readonly unknown[], order: readonly unknown[], mergeKey: string | undefined): unknown[] {
  if (mergeKey !== undefined) {
    requireMergeKey(list, mergeKey);
    requireMergeKey(order, mergeKey);
  }
  const places = placesOf(order, mergeKey);
  const place = (item: unknown): number | undefined => places.get(identityOf(item, mergeKey));
  const kept = mergeKey === undefined ? [...list] : list.filter((item) => !isDeletion(item));
  const deleted = mergeKey === undefined ? [] : list.filter(isDeletion);
  return [...insertByPlace(kept, place), ...deleted];
}

interface Placed {
  readonly item: unknown;
  readonly at: number | undefined;
}

/**
 * Sorts items by their place. In Go's comparison, an item without a place is less than any other item, and any other item is less than it.
 * The result is therefore that of Go's insertion sort, which lists with such items must use.
 */
function insertByPlace(list: readonly unknown[], place: (item: unknown) => number | undefined): unknown[] {
  const placed: readonly Placed[] = list.map((item) => ({ item, at: place(item) }));
  const sorted = placed.every(({ at }) => at !== undefined)
    ? placed.toSorted((a, b) => (a.at ?? 0) - (b.at ?? 0))
    : insertionSort(placed);
  return sorted.map(({ item }) => item);
}

/**
 * The result of an insertion sort. It moves an item without a place to the front, and items with a place before it. So the item without a
 * place stays directly before the item that was first when it was inserted.
 */
function insertionSort(list: readonly Placed[]): Placed[] {
  const before = new Map<Placed | undefined, Placed[]>();
  let least: Placed | undefined;
  for (const item of list) {
    if (item.at !== undefined) {
      if (least?.at === undefined || item.at < least.at) least = item;
      continue;
    }
    const run = before.get(least);
    if (run === undefined) before.set(least, [item]);
    else run.push(item);
  }
  const placed = list.filter(({ at }) => at !== undefined).sort((a, b) => (a.at ?? 0) - (b.at ?? 0));
  const runOf = (item: Placed | undefined): Placed[] => (before.get(item) ?? []).reverse();
  return [...placed.flatMap((item) => [...runOf(item), item]), ...runOf(undefined)];
}

function placesOf(order: readonly unknown[], mergeKey: string | undefined): Map<unknown, number> {
  const places = new Map<unknown, number>();
  for (const [index, item] of order.entries()) {
    const identity = identityOf(item, mergeKey);
    if (!places.has(identity)) places.set(identity, index);
  }
  return places;
}

/**
 * Sorts a merged list: elements in `patchOrder` in that order, the server's own elements in the order of the live list. A server element
 * precedes a patch element only if it does so in the live list.
 */
export function normalizeOrder(
  merged: readonly unknown[],
  patchOrder: readonly unknown[],
  liveOrder: readonly unknown[],
  mergeKey: string | undefined,
): unknown[] {
  const { patchItems, serverItems } = partition(merged, patchOrder, mergeKey);
  const patched = sortLike(patchItems, patchOrder, mergeKey);
  const server = sortLike(serverItems, liveOrder, mergeKey);
  const places = placesOf(liveOrder, mergeKey);
  const result: unknown[] = [];
  let nextServer = 0;
  for (const item of patched) {
    const place = places.get(identityOf(item, mergeKey));
    while (nextServer < server.length && place !== undefined) {
      const serverPlace = places.get(identityOf(server[nextServer], mergeKey));
      if (serverPlace === undefined || serverPlace >= place) break;
      result.push(server[nextServer++]);
    }
    result.push(item);
  }
  return [...result, ...server.slice(nextServer)];
}

/** Checks that the patch's elements are among those of `$setElementOrder`, in the same order. Deletions are ignored. */
export function checkElementOrder(
  patchList: readonly unknown[],
  setElementOrder: readonly unknown[],
  mergeKey: string | undefined,
): void {
  if (setElementOrder.length === 0 || patchList.length === 0) return;
  if (mergeKey !== undefined) requireMaps(patchList);
  const items = mergeKey === undefined ? patchList : patchList.filter((item) => !isDeletion(item));
  let next = 0;
  let at = 0;
  while (next < items.length && at < setElementOrder.length) {
    const item = items[next];
    if (isRecord(item) && Object.hasOwn(item, directiveMarker)) {
      next++;
      continue;
    }
    if (mergeKey !== undefined) {
      const pair = [item, setElementOrder[at]];
      requireMaps(pair);
      requireMergeKey(pair, mergeKey);
    }
    if (identityOf(item, mergeKey) === identityOf(setElementOrder[at], mergeKey)) next++;
    at++;
  }
  if (next < items.length && at >= setElementOrder.length) {
    throw new StrategicMergePatchError(
      `The order in patch list:\n${goFormat(patchList)}\n doesn't match $setElementOrder list:\n${goFormat(setElementOrder)}\n`,
    );
  }
}

/** The field of a directive key such as `$setElementOrder/containers`. */
export function directiveField(key: string, prefix: string, malformed: () => Error = badSetElementOrder): string {
  if (!key.startsWith(`${prefix}/`)) throw malformed();
  return key.slice(prefix.length + 1);
}
