import { currentActivity, type FollowedResource, type Follower, type KubeObject } from '@apichain/meta';
import { Index, type IndexFunction } from './informer-index.ts';
import type { ResourceReference } from './rest-client.ts';
import { Watcher, type WatcherEvent, type WatcherOptions, type WatcherState } from './watcher.ts';

/** Called with each change of the local copy. The objects are shared: handlers must not change them. */
export interface InformerHandlers<Kind extends KubeObject = KubeObject> {
  readonly onAdd?: (object: Kind) => void;
  readonly onUpdate?: (object: Kind, old: Kind) => void;
  readonly onDelete?: (object: Kind) => void;
}

/** The resource that an informer follows, and its options. With `metadataOnly` the copy contains PartialObjectMetadata instead of whole objects. */
export interface InformerOptions<Kind extends KubeObject = KubeObject> extends WatcherOptions {
  readonly resource: ResourceReference<Kind>;
  /** Reduces an object before it is stored, to save memory. Must keep namespace and name, and should keep resourceVersion: without it unchanged objects are updates, too. */
  readonly transform?: (object: Kind) => Kind;
}

/** After so many failures in a row nobody waits for an informer. */
const patientFailures = 3;

/**
 * Keeps a local copy of a resource from the events of a `Watcher`: lists, watches from the revision of the list, lists again when that revision has
 * expired (410), and resumes after lost connections. Handlers receive each change once; after a re-list they receive only the differences.
 */
export class Informer<Kind extends KubeObject = KubeObject> {
  readonly #transform: (object: Kind) => Kind;
  readonly #watcher: Watcher;
  readonly #handlers: InformerHandlers<Kind>[] = [];
  readonly #indexes = new Map<IndexFunction<Kind>, Index<Kind>>();
  readonly #objects = new Map<string, Kind>();
  /** Keys of the objects received so far in the current list. */
  readonly #listed = new Set<string>();
  readonly #stop = new AbortController();
  readonly #synced = Promise.withResolvers<void>();
  #hasSynced = false;
  #resourceVersion: string | undefined;
  #running: Promise<void> | undefined;
  readonly #followed: FollowedResource;
  #follower: Follower | undefined;
  /** The number of failures since something was received. */
  #failures = 0;

  constructor({ transform = (object) => object, ...options }: InformerOptions<Kind>) {
    this.#transform = transform;
    const { resource, labelSelector, fieldSelector } = options;
    const isSelective = labelSelector !== undefined || fieldSelector !== undefined;
    this.#followed = {
      group: resource.group,
      resource: resource.resource,
      namespace: resource.namespace ?? '',
      isSelective,
    };
    this.#watcher = new Watcher(options, this.#stop.signal);
  }

  /** Adds handlers. Objects that are already in the copy are added to them at once. */
  addHandlers(handlers: InformerHandlers<Kind>): this {
    this.#handlers.push(handlers);
    if (handlers.onAdd !== undefined) for (const object of this.#objects.values()) handlers.onAdd(object);
    return this;
  }

  /** The index by the values that `valuesOf` returns for an object. The same function returns the same index. */
  index(valuesOf: IndexFunction<Kind>): Index<Kind> {
    let index = this.#indexes.get(valuesOf);
    if (index === undefined) {
      index = new Index(valuesOf);
      for (const [key, object] of this.#objects) index.set(key, undefined, object);
      this.#indexes.set(valuesOf, index);
    }
    return index;
  }

  start(): this {
    if (this.#running !== undefined) return this;
    this.#follower = currentActivity()?.follow(this.#followed);
    this.#running = this.#run();
    return this;
  }

  get hasSynced(): boolean {
    return this.#hasSynced;
  }

  /** The revision up to which the copy is complete; undefined before the first list. */
  get resourceVersion(): string | undefined {
    return this.#resourceVersion;
  }

  /** Resolves when the first list has been processed. */
  waitForSync(): Promise<void> {
    return this.#synced.promise;
  }

  /** The object with the key `namespace/name`, or `name` for a cluster-scoped object. The object is shared: do not change it. */
  get(key: string): Kind | undefined {
    return this.#objects.get(key);
  }

  list(): Kind[] {
    return [...this.#objects.values()];
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    this.#follower?.end();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    let state: WatcherState = { phase: 'Empty' };
    // A list that has begun is completed even after `stop`, because callers may be waiting for it.
    while (!signal.aborted || isListing(state)) {
      this.#report(state);
      try {
        const step = await this.#watcher.step(state);
        // If a handler throws, a list is repeated, but an event of a watch is not delivered again.
        if (state.phase === 'Watching') {
          state = step.state;
          const permit = step.event && this.#follower?.permit();
          if (permit !== undefined) await permit;
        }
        if (step.state.phase === 'Watching') this.#resourceVersion = step.state.resourceVersion;
        if (step.event !== undefined) this.#take(step.event);
        if (state.phase !== 'Empty' && state.phase !== 'Backoff') this.#failures = 0;
        state = step.state;
      } catch (error) {
        this.#failures++;
        state = await this.#watcher.afterFailure(state, error);
      }
    }
  }

  /** Says how far the informer is. Its waits between attempts are short until it has failed a few times. */
  #report(state: WatcherState): void {
    if (this.#follower === undefined) return;
    if (state.phase === 'Watching') this.#follower.reached(state.resourceVersion);
    const isFailing = this.#failures >= patientFailures;
    this.#follower.is(isFailing ? 'failing' : state.phase === 'Watching' ? 'following' : 'opening');
  }

  #take(event: WatcherEvent): void {
    switch (event.type) {
      case 'Init':
        this.#listed.clear();
        return;
      case 'InitPage':
        for (const object of event.objects) {
          this.#listed.add(objectKey(object));
          this.#store(object);
        }
        return;
      case 'InitDone':
        this.#finishList();
        return;
      case 'Apply':
        this.#store(event.object);
        return;
      case 'Delete':
        this.#listed.delete(objectKey(event.object));
        this.#remove(objectKey(event.object), this.#transform(event.object as Kind));
        return;
    }
  }

  #finishList(): void {
    for (const [key, object] of this.#objects) if (!this.#listed.has(key)) this.#remove(key, object);
    this.#listed.clear();
    this.#hasSynced = true;
    this.#synced.resolve();
  }

  #store(received: KubeObject): void {
    const object = this.#transform(received as Kind);
    const key = objectKey(object);
    const old = this.#objects.get(key);
    this.#objects.set(key, object);
    for (const index of this.#indexes.values()) index.set(key, old, object);
    if (old === undefined) for (const handler of this.#handlers) handler.onAdd?.(object);
    else if (hasChanged(old, object)) for (const handler of this.#handlers) handler.onUpdate?.(object, old);
  }

  #remove(key: string, last: Kind): void {
    const old = this.#objects.get(key);
    if (old === undefined) return;
    this.#objects.delete(key);
    for (const index of this.#indexes.values()) index.set(key, old, undefined);
    for (const handler of this.#handlers) handler.onDelete?.(last);
  }
}

const isListing = ({ phase }: WatcherState): boolean =>
  phase === 'InitialWatch' || phase === 'InitPage' || phase === 'InitListed';

/** A copy whose transform dropped the version counts as changed with every event. */
const hasChanged = ({ metadata: { resourceVersion } }: KubeObject, { metadata }: KubeObject): boolean =>
  resourceVersion === undefined || resourceVersion !== metadata.resourceVersion;

/** `namespace/name`, or the bare name for cluster-scoped objects. */
export function objectKey(object: KubeObject): string {
  const { namespace, name } = object.metadata;
  return namespace === undefined || namespace === '' ? (name ?? '') : `${namespace}/${name ?? ''}`;
}
