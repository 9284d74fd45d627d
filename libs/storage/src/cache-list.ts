import { encodeContinue } from './continue-token.ts';
import type { ListPlan } from './list-plan.ts';
import type { SelectionPredicate, StoredList } from './storage.ts';
import type { EncodedObject } from './stored-object.ts';
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

/** The narrowest directory that holds everything the predicate can match. */
export function narrowed({
  root,
  directory,
  predicate,
}: Pick<CacheListRequest, 'root' | 'directory' | 'predicate'>): string {
  const namespace = predicate.exactFields['metadata.namespace'];
  return directory === root && namespace !== undefined && namespace !== '' ? `${root}${namespace}/` : directory;
}

/** The one object that a predicate on the name can match, as a list; undefined when the name does not determine a single key. */
function named(tree: ObjectTree, { root, predicate }: CacheListRequest, scope: string): EncodedObject[] | undefined {
  const name = predicate.exactFields['metadata.name'];
  if (name === undefined) return undefined;
  const object = tree.get(scope + name);
  if (object !== undefined) return [object];
  // Below the root there may be namespaces, each with an object of that name.
  return scope === root ? undefined : [];
}

/** The objects of the current state found through an index, in key order; undefined when no index applies. */
function indexed({ cache, predicate }: CacheListRequest, scope: string): EncodedObject[] | undefined {
  for (const [field, value] of Object.entries(predicate.exactFields)) {
    const keys = cache.keysWith(field, value);
    if (keys === undefined) continue;
    return keys.filter((key) => key.startsWith(scope)).flatMap((key) => cache.get(key) ?? []);
  }
  return undefined;
}

/** Every object that can match, where an index or a name gives it without a scan. The result is complete and has no pages. */
function candidates(tree: ObjectTree, request: CacheListRequest, scope: string, isPresent: boolean) {
  const one = named(tree, request, scope);
  if (one !== undefined) return one;
  return isPresent && request.plan.limit === 0 ? indexed(request, scope) : undefined;
}

/** The selected objects of the directory from `start` on, in key order. */
function scan(tree: ObjectTree, start: string, end: string, predicate: SelectionPredicate): EncodedObject[] {
  const objects: EncodedObject[] = [];
  tree.forRange(start, end, false, (_key, object) => {
    if (predicate.everything || predicate.matches(object.attributes)) objects.push(object);
  });
  return objects;
}

/**
 * The objects whose attributes a list is going to read and that are not known yet: those that another server wrote, or that were read from etcd. Reading them is to
 * be done in steps, before the list.
 */
export function withoutAttributes(request: CacheListRequest): EncodedObject[] {
  const objects: EncodedObject[] = [];
  const { everything, exactFields } = request.predicate;
  if (everything || exactFields['metadata.name'] !== undefined) return objects;
  const scope = narrowed(request);
  request.cache.forRange(scope, scope + afterAll, (object) => {
    if (!object.knowsAttributes) objects.push(object);
  });
  return objects;
}

/** Like scan, but ends after `limit` objects. `next` is the key to continue from when keys remain, selected or not. */
function scanPage(tree: ObjectTree, start: string, end: string, limit: number, predicate: SelectionPredicate) {
  const objects: EncodedObject[] = [];
  let next: string | undefined;
  tree.forRange(start, end, false, (key, object) => {
    if (objects.length === limit) {
      next = key;
      return { break: true };
    }
    if (predicate.everything || predicate.matches(object.attributes)) objects.push(object);
    return undefined;
  });
  return { objects, next };
}

/** The first page of the objects found through an index. Only those objects count as remaining. */
function indexedPage(objects: readonly EncodedObject[], limit: number, predicate: SelectionPredicate) {
  const page: EncodedObject[] = [];
  for (const [i, object] of objects.entries()) {
    if (predicate.matches(object.attributes)) page.push(object);
    if (page.length === limit) return { objects: page, next: objects[i + 1]?.key };
  }
  return { objects: page, next: undefined };
}

/** The requested page. Like kube-apiserver, uses an index only for the first page of the newest state. */
function firstOrLaterPage(tree: ObjectTree, request: CacheListRequest, scope: string, start: string) {
  const { plan, predicate } = request;
  const newest = !plan.continued && plan.freshness.kind !== 'exact';
  const found = newest ? indexed(request, scope) : undefined;
  return found === undefined
    ? scanPage(tree, start, scope + afterAll, plan.limit, predicate)
    : indexedPage(found, plan.limit, predicate);
}

/**
 * Lists the state at `revision` from the cache; undefined when the cache no longer has that state. Pages, tokens and counts are the same as in a
 * list from etcd.
 */
export function listFromCache(request: CacheListRequest, revision: number): StoredList | undefined {
  const { cache, plan, predicate, directory } = request;
  const tree = cache.at(revision);
  if (tree === undefined) return undefined;
  const scope = narrowed(request);
  const start = directory + plan.start > scope ? directory + plan.start : scope;
  const end = scope + afterAll;
  const found = candidates(tree, request, scope, revision === cache.revision);
  if (found !== undefined) {
    return { items: found.filter(({ key, attributes }) => key >= start && predicate.matches(attributes)), revision };
  }
  if (plan.limit === 0) return { items: scan(tree, start, end, predicate), revision };
  const { objects, next } = firstOrLaterPage(tree, request, scope, start);
  const last = objects.at(-1);
  if (next === undefined || last === undefined) return { items: objects, revision };
  if (revision === cache.revision) cache.keepSnapshot();
  return {
    items: objects,
    revision,
    continue: encodeContinue(last.key, directory, revision),
    ...(predicate.everything ? { remainingItemCount: tree.forRange(next, end, false) } : {}),
  };
}
