import { elementOrUndefined, itemsByElement } from './list-items.ts';
import type { ListSchema, MapSchema, MergeSchema } from './merge-schema.ts';
import type { PathElement } from './path-element.ts';
import { shapesOfPair } from './shape.ts';
import { isArray, isObject, own, setOwn, type PlainObject } from './values.ts';

/**
 * Merges an applied configuration into the live value. Leaves are replaced by the applied ones, maps and keyed lists are merged, nothing is removed.
 * A list keeps the live order if the configuration defines no order of its own; otherwise the shared and new items have the order of the
 * configuration. Unchanged parts are shared with both operands.
 */
export function merge(schema: MergeSchema, live: unknown, applied: unknown): unknown {
  if (live === undefined || applied === undefined) return applied === undefined ? live : applied;
  const shapes = shapesOfPair(schema, live, applied);
  const shape = shapes[shapes.length - 1];
  if (shape === 'map' && schema.map !== undefined) return mergeMaps(schema.map, live, applied);
  if (shape === 'list' && schema.list !== undefined) return mergeLists(schema.list, live, applied);
  return applied;
}

function mergeMaps(map: MapSchema, live: unknown, applied: unknown): unknown {
  const left = isObject(live) ? live : {};
  const right = isObject(applied) ? applied : {};
  const [kept, added] = [Object.keys(left), Object.keys(right)];
  if (map.atomic || (kept.length === 0 && added.length === 0)) return applied;
  const out: PlainObject = {};
  for (const key of kept) {
    const wanted = own(right, key);
    setOwn(out, key, wanted === undefined ? left[key] : mergeMember(map, key, left[key], wanted));
  }
  for (const key of added) if (!Object.hasOwn(left, key)) setOwn(out, key, right[key]);
  return out;
}

function mergeMember(map: MapSchema, key: string, live: unknown, applied: unknown): unknown {
  const schema = map.fields.get(key)?.schema ?? map.element;
  return schema === undefined ? applied : merge(schema, live, applied);
}

function mergeLists(list: ListSchema, live: unknown, applied: unknown): unknown {
  const left = isArray(live) ? live : [];
  const right = isArray(applied) ? applied : [];
  if (list.atomic || (left.length === 0 && right.length === 0)) return applied;
  return new ListMerge(list, itemsOf(list, left), itemsOf(list, right)).run();
}

/** The items of a list: in order, and grouped by their elements. */
interface Items {
  readonly items: readonly unknown[];
  readonly elements: readonly (PathElement | undefined)[];
  readonly byElement: ReadonlyMap<PathElement, unknown[]>;
}

const itemsOf = (list: ListSchema, items: readonly unknown[]): Items => ({
  items,
  elements: items.map((item) => elementOrUndefined(list, item, true)),
  byElement: itemsByElement(list, items, true),
});

/** Walks through both lists in parallel. `nextShared` is the next item of the configuration that is also live. */
class ListMerge {
  readonly #list: ListSchema;
  readonly #live: readonly unknown[];
  readonly #liveElements: readonly (PathElement | undefined)[];
  readonly #appliedElements: readonly (PathElement | undefined)[];
  readonly #liveItems: ReadonlyMap<PathElement, unknown[]>;
  readonly #appliedItems: ReadonlyMap<PathElement, unknown[]>;
  readonly #shared: (PathElement | undefined)[];
  readonly #merged = new Set<PathElement | undefined>();
  readonly #out: unknown[] = [];

  constructor(list: ListSchema, live: Items, applied: Items) {
    this.#list = list;
    this.#live = live.items;
    this.#liveElements = live.elements;
    this.#appliedElements = applied.elements;
    this.#liveItems = live.byElement;
    this.#appliedItems = applied.byElement;
    this.#shared = applied.elements.filter((element) => element !== undefined && this.#liveItems.has(element));
  }

  run(): unknown[] {
    let i = 0;
    let j = 0;
    // An index is used, because removing the first item of a long list would move all others.
    let shared = 0;
    let nextShared = this.#shared[shared];
    while (i < this.#liveElements.length || j < this.#appliedElements.length) {
      const left = this.#liveElements[i];
      const right = this.#appliedElements[j];
      const both = i < this.#liveElements.length && j < this.#appliedElements.length;
      if (both && left === right) {
        this.#mergeItem(right);
        i++;
        j++;
        nextShared = this.#shared[++shared];
        continue;
      }
      if (both && this.#isApplied(left) && nextShared !== undefined && nextShared !== left) {
        // The item is in both lists, but comes later in the configuration.
        i++;
        continue;
      }
      if (i < this.#liveElements.length) {
        if (!this.#isApplied(left)) {
          this.#out.push(this.#live[i]);
          i++;
          continue;
        }
        if (this.#merged.has(left)) i++;
      }
      if (j < this.#appliedElements.length) {
        this.#mergeItem(right);
        j++;
        if (nextShared !== undefined && nextShared === right) nextShared = this.#shared[++shared];
      }
    }
    return this.#out;
  }

  #isApplied(element: PathElement | undefined): boolean {
    return element !== undefined && this.#appliedItems.has(element);
  }

  /** Duplicates in the live list are replaced by the applied item, not merged with it. */
  #mergeItem(element: PathElement | undefined): void {
    this.#merged.add(element);
    if (element === undefined) return;
    const live = this.#liveItems.get(element) ?? [];
    const applied = this.#appliedItems.get(element)?.[0];
    this.#out.push(merge(this.#list.element, live.length === 1 ? live[0] : undefined, applied));
  }
}
