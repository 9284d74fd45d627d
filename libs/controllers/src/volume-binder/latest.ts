import { type Following, hasReached, objectKey, resourceVersionOf } from '@apichain/client';
import type { KubeObject } from '@apichain/meta';

/** A copy of a resource that follows the server. */
interface Follower<Kind extends KubeObject> extends Following {
  get(key: string): Kind | undefined;
}

/**
 * The objects of a resource, with own writes that the informer does not show yet. A controller that reads an object by its key after each change of it
 * forgets its writes in time.
 */
export class Latest<Kind extends KubeObject> {
  readonly #informer: Follower<Kind>;
  readonly #written = new Map<string, Kind>();

  constructor(informer: Follower<Kind>) {
    this.#informer = informer;
  }

  /** Takes an object as it was stored by a write, and returns it. */
  wrote(object: Kind): Kind {
    this.#written.set(objectKey(object), object);
    return object;
  }

  get(key: string): Kind | undefined {
    const written = this.#written.get(key);
    if (written === undefined) return this.#informer.get(key);
    if (!hasReached(this.#informer, resourceVersionOf(written))) return written;
    this.#written.delete(key);
    return this.#informer.get(key);
  }
}
