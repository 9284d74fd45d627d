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
function narrowed({ root, directory, predicate }: CacheListRequest): string {
  const namespace = predicate.exactFields['metadata.namespace'];
  return directory === root && namespace !== undefined && namespace !== '' ? `${root}${namespace}/` : directory;
}

/** The objects of the present state that an index or the name leads to, in order; undefined when neither does. */
function candidates(request: CacheListRequest, directory: string): EncodedObject[] | undefined {
  const { cache, root, predicate } = request;
  const name = predicate.exactFields['metadata.name'];
  if (name !== undefined && directory !== root) {
    const object = cache.get(directory + name);
    return object === undefined ? [] : [object];
  }
  for (const [field, value] of Object.entries(predicate.exactFields)) {
    const keys = cache.keysWith(field, value);
    if (keys === undefined) continue;
    return keys.filter((key) => key.startsWith(directory)).flatMap((key) => cache.get(key) ?? []);
  }
  return undefined;
}

/** Everything of the directory from `start` on, unfiltered, in order. */
function scan(tree: ObjectTree, directory: string, start: string): EncodedObject[] {
  const objects: EncodedObject[] = [];
  tree.forRange(start > directory ? start : directory, directory + afterAll, false, (_key, object) => {
    objects.push(object);
  });
  return objects;
}

/**
 * Lists the state at `revision` from the cache; undefined when the cache no longer knows that state. Same pages, tokens
 * and counts as a list from etcd.
 */
export function listFromCache(request: CacheListRequest, revision: number): StoredList | undefined {
  const { cache, plan, predicate, directory } = request;
  const tree = cache.at(revision);
  if (tree === undefined) return undefined;
  const start = directory + plan.start;
  const scope = narrowed(request);
  const found = revision === cache.revision ? candidates(request, scope) : undefined;
  const objects = found?.filter((object) => object.key >= start) ?? scan(tree, scope, start);
  const selected = (object: EncodedObject) => predicate.everything || predicate.matches(object.attributes);
  if (plan.limit === 0 || objects.length <= plan.limit) {
    return { items: predicate.everything ? objects : objects.filter(selected), revision };
  }
  return page(request, objects, selected, revision);
}

function page(
  { cache, plan, predicate, directory }: CacheListRequest,
  objects: readonly EncodedObject[],
  selected: (object: EncodedObject) => boolean,
  revision: number,
): StoredList {
  const items: EncodedObject[] = [];
  for (const [i, object] of objects.entries()) {
    if (!selected(object)) continue;
    items.push(object);
    if (items.length < plan.limit) continue;
    const remaining = objects.length - i - 1;
    if (remaining === 0) break;
    if (revision === cache.revision) cache.keepSnapshot();
    const token = encodeContinue(object.key, directory, revision);
    return { items, revision, continue: token, ...(predicate.everything ? { remainingItemCount: remaining } : {}) };
  }
  return { items, revision };
}
