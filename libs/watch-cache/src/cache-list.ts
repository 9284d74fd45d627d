import type { Work } from '@apichain/meta';
import {
  encodeContinue,
  narrowed,
  type ListPlan,
  type SelectionPredicate,
  type StoredList,
  type EncodedObject,
} from '@apichain/storage';
import type { ObjectTree, WatchCache } from './watch-cache.ts';

export interface CacheListRequest {
  readonly cache: WatchCache;
  /** The resource's own directory, below which a namespace may follow. */
  readonly root: string;
  readonly directory: string;
  readonly plan: ListPlan;
  readonly predicate: SelectionPredicate;
}

/** Sorts after every key of a directory. */
const afterAll = '\uffff';
/** The objects that one step of a list visits. */
const objectsPerStep = 1_000;

/** Whether the key may be that of an object with the name of the predicate. So objects of other names need not be read. */
function mayMatch(key: string, { exactFields }: SelectionPredicate): boolean {
  const name = exactFields['metadata.name'];
  return name === undefined || key.endsWith(`/${name}`);
}

const selects = (predicate: SelectionPredicate, object: EncodedObject): boolean =>
  predicate.everything || (mayMatch(object.key, predicate) && predicate.matches(object.attributes));

/** The one object that a predicate on the name can match, as a list; undefined when the name does not determine a single key. */
function named(tree: ObjectTree, { root, predicate }: CacheListRequest, scope: string): EncodedObject[] | undefined {
  const name = predicate.exactFields['metadata.name'];
  if (name === undefined) return undefined;
  const object = tree.get(scope + name);
  if (object !== undefined) return [object];
  // Below the root there may be namespaces, each with an object of that name.
  return scope === root ? undefined : [];
}

/** Visits the objects of a range in key order and in steps, until `visit` returns false. */
function* visiting(
  tree: ObjectTree,
  start: string,
  end: string,
  visit: (object: EncodedObject) => boolean,
): Work<void> {
  let from: string | undefined = start;
  while (from !== undefined) {
    const first: string = from;
    let visited = 0;
    from = undefined;
    tree.forRange(first, end, false, (key, object) => {
      if (visited++ === objectsPerStep) {
        from = key;
        return { break: true };
      }
      return visit(object) ? undefined : { break: true };
    });
    if (from !== undefined) yield;
  }
}

/** The objects of the current state found through an index, in key order; undefined when no index applies. */
function* indexed(
  tree: ObjectTree,
  { cache, predicate }: CacheListRequest,
  scope: string,
): Work<EncodedObject[] | undefined> {
  for (const [field, value] of Object.entries(predicate.exactFields)) {
    const keys = cache.keysWith(field, value);
    if (keys === undefined) continue;
    const objects: EncodedObject[] = [];
    for (const [i, key] of keys.entries()) {
      if (i > 0 && i % objectsPerStep === 0) yield;
      const object = key.startsWith(scope) ? tree.get(key) : undefined;
      if (object !== undefined) objects.push(object);
    }
    return objects;
  }
  return undefined;
}

/** Every object that can match, where an index or a name gives it without a scan. The result is complete and has no pages. */
function* candidates(
  tree: ObjectTree,
  request: CacheListRequest,
  scope: string,
  isPresent: boolean,
): Work<EncodedObject[] | undefined> {
  const one = named(tree, request, scope);
  if (one !== undefined) return one;
  return isPresent && request.plan.limit === 0 ? yield* indexed(tree, request, scope) : undefined;
}

/** The selected objects of the directory from `start` on, in key order. */
function* scanning(tree: ObjectTree, start: string, end: string, predicate: SelectionPredicate): Work<EncodedObject[]> {
  const objects: EncodedObject[] = [];
  yield* visiting(tree, start, end, (object) => {
    if (selects(predicate, object)) objects.push(object);
    return true;
  });
  return objects;
}

/**
 * The objects whose attributes a list is going to read and that are not known yet: those that another server wrote, or that were read from etcd. Reading them is to
 * be done in steps, before the list.
 */
export function* findingWithoutAttributes(request: CacheListRequest): Work<EncodedObject[]> {
  const { cache, predicate } = request;
  if (predicate.everything) return [];
  const usesIndex = Object.keys(predicate.exactFields).some((field) => cache.isIndexed(field));
  const objects: EncodedObject[] = usesIndex ? [...cache.unindexed] : [];
  const scope = narrowed(request);
  yield* visiting(cache.current, scope, scope + afterAll, (object) => {
    if (!object.knowsAttributes && mayMatch(object.key, predicate)) objects.push(object);
    return true;
  });
  return objects;
}

/** A page of a list. `next` is the key to continue from when keys remain, selected or not. */
interface Page {
  readonly objects: readonly EncodedObject[];
  readonly next: string | undefined;
}

/** Like scanning, but ends after `limit` objects. */
function* scanningPage(
  tree: ObjectTree,
  start: string,
  end: string,
  limit: number,
  predicate: SelectionPredicate,
): Work<Page> {
  const objects: EncodedObject[] = [];
  let next: string | undefined;
  yield* visiting(tree, start, end, (object) => {
    if (objects.length === limit) {
      next = object.key;
      return false;
    }
    if (selects(predicate, object)) objects.push(object);
    return true;
  });
  return { objects, next };
}

/** The first page of the objects found through an index. Only those objects count as remaining. */
function indexedPage(objects: readonly EncodedObject[], limit: number, predicate: SelectionPredicate) {
  const page: EncodedObject[] = [];
  for (const [i, object] of objects.entries()) {
    if (selects(predicate, object)) page.push(object);
    if (page.length === limit) return { objects: page, next: objects[i + 1]?.key };
  }
  return { objects: page, next: undefined };
}

/** The requested page. Like kube-apiserver, uses an index only for the first page of the newest state. */
function* firstOrLaterPage(tree: ObjectTree, request: CacheListRequest, scope: string, start: string): Work<Page> {
  const { plan, predicate } = request;
  const newest = !plan.continued && plan.freshness.kind !== 'exact';
  const found = newest ? yield* indexed(tree, request, scope) : undefined;
  if (found !== undefined) return indexedPage(found, plan.limit, predicate);
  return yield* scanningPage(tree, start, scope + afterAll, plan.limit, predicate);
}

/**
 * Lists the state at `revision` from the cache, in steps; undefined when the cache no longer has that state. Pages, tokens and counts are the same as in a
 * list from etcd.
 */
export function* listingFromCache(request: CacheListRequest, revision: number): Work<StoredList | undefined> {
  const { cache, plan, predicate, directory } = request;
  const state = cache.at(revision);
  if (state === undefined) return undefined;
  // The current state may change between two steps.
  const isPresent = revision === cache.revision;
  const tree = isPresent && state.size > objectsPerStep ? state.clone() : state;
  const scope = narrowed(request);
  const start = directory + plan.start > scope ? directory + plan.start : scope;
  const end = scope + afterAll;
  const found = yield* candidates(tree, request, scope, isPresent);
  if (found !== undefined) {
    return { items: found.filter((object) => object.key >= start && selects(predicate, object)), revision };
  }
  if (plan.limit === 0) return { items: yield* scanning(tree, start, end, predicate), revision };
  const { objects, next } = yield* firstOrLaterPage(tree, request, scope, start);
  const last = objects.at(-1);
  if (next === undefined || last === undefined) return { items: objects, revision };
  cache.keepSnapshot(revision, tree);
  return {
    items: objects,
    revision,
    continue: encodeContinue(last.key, directory, revision),
    ...(predicate.everything ? { remainingItemCount: tree.forRange(next, end, false) } : {}),
  };
}
