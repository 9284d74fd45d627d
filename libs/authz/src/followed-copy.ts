import type { GroupResource } from '@apichain/meta';
import {
  FollowedObjects,
  KeyNotFoundError,
  type ObjectChanges,
  type ResourceStores,
  type StoredObject,
} from '@apichain/storage';

/** The longest time in milliseconds that a decision waits for a read of recent writes, or for the first copy. */
const mostWaitMs = 1_000;
/** After a read that took too long, no read is started for this time: etcd is unavailable, and the copy is all there is. */
const restMs = 2_000;

/** The data that an authorizer decides by, and a way to refresh the data before a refusal. */
export interface Copy {
  /** Changes whenever the data changes. */
  readonly version: number;
  /** Applies every write that was acknowledged before the call, as far as etcd responds. Never rejects. */
  catchUp(): Promise<void>;
}

/** A resource to follow, and the handler of its changes. */
export interface FollowedResource {
  readonly resource: GroupResource;
  readonly onChange: (changes: ObjectChanges) => void;
}

interface FollowOptions {
  /** The stores of the objects; called when the objects are first needed. */
  readonly stores: ResourceStores;
  readonly onError: (error: unknown) => void;
}

/**
 * A copy of objects in etcd. The copy may be slightly behind, which matters when an authorizer refuses: a permission that was granted before the
 * request must count. So the copy catches up before a refusal. While etcd does not respond, the copy is used unchanged, as the informers of
 * kube-apiserver are.
 */
export class FollowedCopy implements Copy {
  readonly #resources: readonly FollowedResource[];
  #options: FollowOptions | undefined;
  #ended = new AbortController();
  #users = 0;
  #followed: readonly FollowedObjects[] = [];
  #version = 0;
  #reading: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  /** By the clock of `performance.now()`. */
  #restsUntil = 0;

  constructor(resources: readonly FollowedResource[]) {
    this.#resources = resources;
  }

  get version(): number {
    return this.#version;
  }

  /** Allows following the objects until the signals of all callers have aborted. Following starts when the objects are first needed. */
  startWhenNeeded(options: FollowOptions, signal: AbortSignal): void {
    if (signal.aborted) return;
    if (this.#users++ === 0) {
      this.#options = options;
      this.#ended = new AbortController();
    }
    signal.addEventListener('abort', () => this.#release(), { once: true });
  }

  /** As `startWhenNeeded`, but starts following now. Resolves when all objects are loaded. */
  async start(options: FollowOptions, signal: AbortSignal): Promise<void> {
    this.startWhenNeeded(options, signal);
    this.#follow();
    await Promise.all(this.#followed.map((each) => each.waitForSync()));
  }

  /**
   * Applies every write that was acknowledged before the call, however long etcd takes. Does nothing while the objects are not needed. Rejects with
   * the errors of a list.
   */
  async refresh(signal?: AbortSignal): Promise<void> {
    await Promise.all(this.#followed.map((each) => each.refresh(signal)));
  }

  /** An object of a followed resource, at least as new as the revision. Rejects with KeyNotFoundError, and the errors of the store. */
  async get(
    resource: GroupResource,
    { key, revision }: { readonly key: string; readonly revision: number },
  ): Promise<StoredObject> {
    const store = this.#options?.stores(resource);
    if (store === undefined) throw new KeyNotFoundError(key);
    return store.storage.get(key, { resourceVersion: String(revision) });
  }

  /** Callers share the reads: at most one read runs, and one waits. */
  catchUp(): Promise<void> {
    if (performance.now() < this.#restsUntil) return Promise.resolve();
    if (this.#reading === undefined) return this.#begin();
    // The running read may have started before the write that this caller waits for.
    return (this.#next ??= this.#reading.then(() => {
      this.#next = undefined;
      return this.#begin();
    }));
  }

  #begin(): Promise<void> {
    const reading = this.#read().finally(() => {
      if (this.#reading === reading) this.#reading = undefined;
    });
    this.#reading = reading;
    return reading;
  }

  async #read(): Promise<void> {
    this.#follow();
    const waiting = new AbortController();
    const timer = setTimeout(() => waiting.abort(), mostWaitMs);
    const isLate = new Promise<void>((resolve) => {
      const rest = () => {
        this.#restsUntil = performance.now() + restMs;
        resolve();
      };
      waiting.signal.addEventListener('abort', rest, { once: true });
    });
    const onError = (error: unknown) => this.#options?.onError(error);
    const refreshes = this.#followed.map((each) => each.refresh(waiting.signal).catch(onError));
    await Promise.race([isLate, Promise.all(refreshes)]);
    clearTimeout(timer);
  }

  #follow(): void {
    if (this.#options === undefined || this.#followed.length > 0 || this.#ended.signal.aborted) return;
    const { stores, onError } = this.#options;
    this.#followed = this.#resources.map(
      ({ resource, onChange }) =>
        new FollowedObjects({
          store: stores(resource),
          onChange: (changes) => {
            this.#version++;
            onChange(changes);
          },
          onError,
        }),
    );
    for (const each of this.#followed) void each.run(this.#ended.signal);
  }

  #release(): void {
    if (--this.#users > 0) return;
    this.#ended.abort();
    this.#followed = [];
  }
}
