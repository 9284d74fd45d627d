import type { GroupResource } from '@apichain/meta';

export interface ObjectSize {
  readonly count: number;
  /** Of an object as it is stored; 0 = unknown. */
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
 * How many objects there are of the resources that are listed. Asked of the store at most once a minute, and only for resources that
 * somebody has listed with success: what a list costs is known from the second one on.
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

  /** A list has succeeded: the figures should be there for the next. A question that fails leaves what was known. */
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
