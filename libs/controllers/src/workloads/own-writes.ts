import type { KubeObject } from '@apichain/meta';

/**
 * The versions of objects that a controller has written. An informer that shows an older version would make it decide on what it has already changed.
 */
export class OwnWrites {
  readonly #versions = new Map<string, bigint>();

  /** Notes an answer to a write. */
  wrote({ metadata: { uid = '', resourceVersion = '0' } }: KubeObject): void {
    this.#versions.set(uid, BigInt(resourceVersion));
  }

  /** Whether this copy is older than the last write. The informer will tell of a newer one. */
  isBehind({ metadata: { uid = '', resourceVersion = '0' } }: KubeObject): boolean {
    const written = this.#versions.get(uid);
    if (written === undefined || BigInt(resourceVersion) < written) return written !== undefined;
    this.#versions.delete(uid);
    return false;
  }

  /** Forgets an object that has been deleted. */
  forget(uid = ''): void {
    this.#versions.delete(uid);
  }
}
