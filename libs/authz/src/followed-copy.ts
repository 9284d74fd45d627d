import type { GroupResource } from '@apichain/meta';
import { FollowedObjects, type ObjectChanges, type ResourceStores } from '@apichain/storage';

/** No read of what has just been written, or of the first copy, keeps an answer waiting for longer, in milliseconds. */
const mostWaitMs = 1_000;
/** After one that took too long there is none for this time: etcd is away, and the copy is all there is. */
const restMs = 2_000;

/** What an authorizer decides by, and how to make sure before it refuses. */
export interface Copy {
  /** Another number whenever something has changed. */
  readonly version: number;
  /** Takes in every write that was acknowledged before the call, as far as etcd answers. Never rejects. */
  catchUp(): Promise<void>;
}

/** A resource, and what its changes are for. */
export interface FollowedResource {
  readonly resource: GroupResource;
  readonly onChange: (changes: ObjectChanges) => void;
}

export interface FollowOptions {
  /** Where the objects lie; asked when they are first needed. */
  readonly stores: ResourceStores;
  readonly onError: (error: unknown) => void;
}

/**
 * A copy of objects in etcd. It may be a moment behind, which matters where an authorizer refuses: nobody should be refused what he was
 * granted before he asked. So before a refusal the copy catches up. While etcd does not answer it stays as it is, as the informers of
 * kube-apiserver do.
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

  /** The objects may be followed until the signals of all who called this have aborted; they are from the first need on. */
  offer(options: FollowOptions, signal: AbortSignal): void {
    if (signal.aborted) return;
    if (this.#users++ === 0) {
      this.#options = options;
      this.#ended = new AbortController();
    }
    signal.addEventListener('abort', () => this.#release(), { once: true });
  }

  /** As `offer`, and follows them from now on. Resolves when everything is known. */
  async start(options: FollowOptions, signal: AbortSignal): Promise<void> {
    this.offer(options, signal);
    this.#follow();
    await Promise.all(this.#followed.map((each) => each.waitForSync()));
  }

  /** Callers share the reads: at most one is under way, and one waits. */
  catchUp(): Promise<void> {
    if (performance.now() < this.#restsUntil) return Promise.resolve();
    if (this.#reading === undefined) return this.#begin();
    // What is under way may have begun before the write that this caller knows of.
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
