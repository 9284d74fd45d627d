import { deepEqual } from '@apichain/meta';
import type { Type } from '@apichain/scheme';

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const own = (value: unknown, key: string): unknown =>
  isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;

/** The item of an old list-type=map list that has the same keys. */
export function oldItem(item: unknown, old: unknown, type: Type): unknown {
  if (type.listType !== 'map' || !Array.isArray(old)) return undefined;
  const keys = type.listMapKeys ?? [];
  return old.find((o: unknown) => isRecord(o) && keys.every((k) => deepEqual(own(o, k), own(item, k))));
}

/**
 * Whether an error may be forgiven because what it is about did not change: the value itself, or where it has no
 * counterpart the nearest part around it that has.
 */
export class Ratchet {
  readonly #current: { readonly value: unknown; readonly old: unknown } | undefined;
  readonly #nearest: Ratchet | undefined;
  readonly #isRoot: boolean;
  #same: boolean | undefined;

  constructor(current: { value: unknown; old: unknown } | undefined, nearest?: Ratchet, isRoot = false) {
    this.#current = current;
    this.#nearest = nearest;
    this.#isRoot = isRoot;
  }

  get forgives(): boolean {
    if (this.#current === undefined) return this.#nearest?.forgives ?? false;
    this.#same ??= deepEqual(this.#current.value, this.#current.old);
    return this.#same;
  }

  key(name: string): Ratchet {
    if (this.#current === undefined) return this;
    if (this.#isRoot && (name === 'apiVersion' || name === 'kind')) return new Ratchet(undefined);
    const [value, old] = [own(this.#current.value, name), own(this.#current.old, name)];
    return new Ratchet(value === undefined || old === undefined ? undefined : { value, old }, this);
  }

  index(i: number, type: Type): Ratchet {
    if (this.#current === undefined) return this;
    const value: unknown = Array.isArray(this.#current.value) ? this.#current.value[i] : undefined;
    const old = oldItem(value, this.#current.old, type);
    return new Ratchet(old === undefined ? undefined : { value, old }, this);
  }
}
