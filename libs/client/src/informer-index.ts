import type { KubeObject } from '@apichain/meta';

/** The values by which an object is found. Must depend on nothing but the object. */
export type IndexFunction<Kind extends KubeObject = KubeObject> = (object: Kind) => readonly string[];

/** Finds the objects of an informer by a value, without looking at all objects. */
export class Index<Kind extends KubeObject = KubeObject> {
  readonly #valuesOf: IndexFunction<Kind>;
  readonly #found = new Map<string, Map<string, Kind>>();

  constructor(valuesOf: IndexFunction<Kind>) {
    this.#valuesOf = valuesOf;
  }

  /** The objects with a value, in the order in which they got it. The objects are shared: do not change them. */
  get(value: string): Kind[] {
    return [...(this.#found.get(value)?.values() ?? [])];
  }

  /** Called by the informer with each change. `old` is undefined for a new object, `object` for a deleted one. */
  set(key: string, old: Kind | undefined, object: Kind | undefined): void {
    const before = old === undefined ? [] : this.#valuesOf(old);
    const after = object === undefined ? [] : this.#valuesOf(object);
    const kept = new Set(after);
    for (const value of before) if (!kept.has(value)) this.#remove(value, key);
    if (object === undefined) return;
    for (const value of after) {
      const objects = this.#found.get(value);
      if (objects === undefined) this.#found.set(value, new Map([[key, object]]));
      else objects.set(key, object);
    }
  }

  #remove(value: string, key: string): void {
    const objects = this.#found.get(value);
    objects?.delete(key);
    if (objects?.size === 0) this.#found.delete(value);
  }
}

/** The value of `byController` for objects of a namespace that no controller owns. */
export const orphansOf = (namespace: string | undefined): string => `orphans of ${namespace ?? ''}`;

/** Finds objects by the uid of the owner that controls them, and those without one with `orphansOf(namespace)`. */
export function byController({ metadata: { namespace, ownerReferences } }: KubeObject): readonly string[] {
  const controller = ownerReferences?.find((owner) => owner.controller === true);
  return [controller?.uid ?? orphansOf(namespace)];
}

/** Finds objects by their namespace. */
export const byNamespace = ({ metadata }: KubeObject): readonly string[] => [metadata.namespace ?? ''];

/** Finds Pods by the name of their node; those without a node by ''. */
export const byNodeName = ({ spec }: { readonly spec?: { readonly nodeName?: string } }): readonly string[] => [
  spec?.nodeName ?? '',
];
