import { FollowedObjects, type ResourceStore, type StoredObject } from '@apichain/storage';

/** A larger copy is not kept: objects are then read one by one. */
const defaultMaxBytes = 64 << 20;
/** How long after a copy was too large it is tried again. */
const oversizeMs = 600_000;
/** The longest time in milliseconds that a read waits for the first list. */
const firstListMs = 5_000;

interface RemoteCopyOptions {
  /** The store to copy. It reports its failures itself. */
  readonly store: ResourceStore;
  /** Called when the copy is too large. */
  readonly onError: (error: unknown) => void;
  /** Ends following. */
  readonly signal: AbortSignal;
  readonly maxBytes?: number;
}

/**
 * A copy of the objects of a resource, followed with a watch from the first read on. While the core API is away, the copy stays as it is. Its
 * size is bounded.
 */
export class RemoteCopy {
  readonly #options: RemoteCopyOptions;
  readonly #objects = new Map<string, StoredObject>();
  #bytes = 0;
  #following: { readonly followed: FollowedObjects; readonly stop: AbortController } | undefined;
  /** Resolves when the first list has succeeded, has failed, or takes too long. */
  #begun: Promise<void> = Promise.resolve();
  /** By the clock of `performance.now()`. */
  #restsUntil = 0;

  constructor(options: RemoteCopyOptions) {
    this.#options = options;
  }

  /** Whether there is a copy. Waits for the first list, but not for later attempts when it has failed. */
  async ready(): Promise<boolean> {
    if (this.#following === undefined) this.#start();
    const current = this.#following;
    if (current === undefined) return false;
    if (!current.followed.hasSynced) await this.#begun;
    return this.#following === current && current.followed.hasSynced;
  }

  get(key: string): StoredObject | undefined {
    return this.#objects.get(key);
  }

  /** The objects whose keys begin with `directory`, ordered by key. */
  list(directory: string): readonly StoredObject[] {
    const found = [...this.#objects.values()].filter(({ key }) => key.startsWith(directory));
    return found.sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  #start(): void {
    const { store, signal } = this.#options;
    if (signal.aborted || performance.now() < this.#restsUntil) return;
    const begun = Promise.withResolvers<void>();
    const timer = setTimeout(begun.resolve, firstListMs).unref();
    const stop = new AbortController();
    const followed = new FollowedObjects({
      store,
      onChange: ({ put, dropped }) => {
        for (const name of dropped) this.#drop(`${store.prefix}/${name}`);
        for (const object of put) this.#put(object);
        if (this.#bytes > (this.#options.maxBytes ?? defaultMaxBytes)) this.#giveUp();
      },
      onError: () => begun.resolve(),
    });
    this.#following = { followed, stop };
    this.#begun = Promise.race([begun.promise, followed.waitForSync()]).finally(() => clearTimeout(timer));
    void followed.run(AbortSignal.any([signal, stop.signal]));
  }

  #put(object: StoredObject): void {
    this.#drop(object.key);
    this.#objects.set(object.key, object);
    this.#bytes += object.json.length;
  }

  #drop(key: string): void {
    this.#bytes -= this.#objects.get(key)?.json.length ?? 0;
    this.#objects.delete(key);
  }

  #giveUp(): void {
    this.#options.onError(
      new Error(
        `the objects have more than ${this.#options.maxBytes ?? defaultMaxBytes} bytes and are not kept in memory`,
      ),
    );
    this.#following?.stop.abort();
    this.#following = undefined;
    this.#restsUntil = performance.now() + oversizeMs;
    this.#objects.clear();
    this.#bytes = 0;
  }
}
