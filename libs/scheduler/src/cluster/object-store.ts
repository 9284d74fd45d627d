import { objectKey, resourceVersionOf } from '@apichain/client';
import type { KubeObject } from '@apichain/meta';

/** The objects of one kind, by namespace and name. Cluster-scoped objects are in the namespace ''. */
export class ObjectStore<Kind extends KubeObject> {
  readonly #namespaces = new Map<string, Map<string, Kind>>();

  /** The object with the key `namespace/name`, or `name` for a cluster-scoped object. */
  get(key: string): Kind | undefined {
    const slash = key.indexOf('/');
    return this.#namespaces.get(key.slice(0, Math.max(0, slash)))?.get(key.slice(slash + 1));
  }

  inNamespace(namespace: string): Iterable<Kind> {
    return this.#namespaces.get(namespace)?.values() ?? [];
  }

  *list(): Iterable<Kind> {
    for (const objects of this.#namespaces.values()) yield* objects.values();
  }

  set(object: Kind): void {
    const { namespace = '', name = '' } = object.metadata;
    let objects = this.#namespaces.get(namespace);
    if (objects === undefined) this.#namespaces.set(namespace, (objects = new Map<string, Kind>()));
    objects.set(name, object);
  }

  delete(object: Kind): void {
    const { namespace = '', name = '' } = object.metadata;
    const objects = this.#namespaces.get(namespace);
    if (objects?.delete(name) === true && objects.size === 0) this.#namespaces.delete(namespace);
  }
}

/** A store in which an object may be replaced by what it will be once a write in progress has been seen. */
export class AssumableStore<Kind extends KubeObject> extends ObjectStore<Kind> {
  readonly #assumed = new Map<string, Kind>();

  override get(key: string): Kind | undefined {
    return this.#assumed.get(key) ?? super.get(key);
  }

  /** The object as the API server has sent it. */
  getObserved(key: string): Kind | undefined {
    return super.get(key);
  }

  override *list(): Iterable<Kind> {
    for (const object of super.list()) yield this.#assumed.get(objectKey(object)) ?? object;
  }

  /** A newer object from the API server replaces an assumed one. */
  override set(object: Kind): void {
    const key = objectKey(object);
    const assumed = this.#assumed.get(key);
    if (assumed !== undefined && resourceVersionOf(object) > resourceVersionOf(assumed)) this.#assumed.delete(key);
    super.set(object);
  }

  override delete(object: Kind): void {
    this.#assumed.delete(objectKey(object));
    super.delete(object);
  }

  assume(object: Kind): void {
    this.#assumed.set(objectKey(object), object);
  }

  restore(key: string): void {
    this.#assumed.delete(key);
  }
}
