import type { GroupResource } from '@apichain/meta';

export interface ObjectSize {
  readonly count: number;
  /** The average size of stored objects; 0 = unknown. */
  readonly averageBytes: number;
}

interface Known {
  size: ObjectSize | undefined;
  askedAt: number;
}

const renewAfterMs = 60_000;
const forgetAfterMs = 3_600_000;
const mostResources = 1_000;

/**
 * The number and size of the objects of listed resources. Read from the store at most once a minute, and only for resources that were listed
 * successfully: the cost of a list is known from the second list on.
 */
export class ObjectSizes {
  readonly #known = new Map<string, Known>();
  readonly #ask: (resource: GroupResource) => Promise<ObjectSize | undefined>;
  readonly #onError: (error: unknown) => void;
  readonly #now: () => number;

  constructor(
    ask: (resource: GroupResource) => Promise<ObjectSize | undefined>,
    onError: (error: unknown) => void,
    now: () => number = Date.now,
  ) {
    this.#ask = ask;
    this.#onError = onError;
    this.#now = now;
  }

  get({ apiGroup, resource }: { readonly apiGroup: string; readonly resource: string }): ObjectSize | undefined {
    return this.#known.get(`${apiGroup}/${resource}`)?.size;
  }

  /** Records a successful list, and updates the figures for the next one. When reading them fails, the previous figures stay. */
  noteListed({ apiGroup, resource }: { readonly apiGroup: string; readonly resource: string }): void {
    const key = `${apiGroup}/${resource}`;
    const now = this.#now();
    let known = this.#known.get(key);
    if (known !== undefined && now - known.askedAt < renewAfterMs) return;
    if (known === undefined) {
      if (this.#known.size >= mostResources) this.#forget(now);
      if (this.#known.size >= mostResources) return;
      known = { size: undefined, askedAt: now };
      this.#known.set(key, known);
    }
    known.askedAt = now;
    const entry = known;
    this.#ask({ group: apiGroup, resource }).then((size) => (entry.size = size), this.#onError);
  }

  #forget(now: number): void {
    for (const [key, { askedAt }] of this.#known) if (now - askedAt > forgetAfterMs) this.#known.delete(key);
  }
}
