import {
  currentActivity,
  isHistoryLost,
  reflect,
  type FollowedResource,
  type Follower,
  type KubeObject,
  type ReflectorOptions,
  type ReflectorState,
} from '@apichain/meta';
import { Index, type IndexFunction } from './informer-index.ts';
import { ListWatch, type ListWatchEvent, type ListWatchOptions } from './list-watch.ts';
import type { ResourceReference } from './rest-client.ts';

/** Called with each change of the local copy. The objects are shared: handlers must not change them. */
export interface InformerHandlers<Kind extends KubeObject = KubeObject> {
  readonly onAdd?: (object: Kind) => void;
  readonly onUpdate?: (object: Kind, old: Kind) => void;
  readonly onDelete?: (object: Kind) => void;
}

/** The resource that an informer follows, and its options. With `metadataOnly` the copy contains PartialObjectMetadata instead of whole objects. */
export interface InformerOptions<Kind extends KubeObject = KubeObject>
  extends ListWatchOptions, Pick<ReflectorOptions, 'backoff' | 'sleep'> {
  readonly resource: ResourceReference<Kind>;
  /** Called with every failure except an expired revision; the informer continues with backoff. */
  readonly onError?: (error: unknown) => void;
  /** Reduces an object before it is stored, to save memory. Must keep namespace and name, and should keep resourceVersion: without it unchanged objects are updates, too. */
  readonly transform?: (object: Kind) => Kind;
}

/** After so many failures in a row nobody waits for an informer. */
const patientFailures = 3;

/**
 * Keeps a local copy of a resource: lists, watches from the revision of the list, lists again when that revision has expired (410), and resumes after
 * lost connections. Handlers receive each change once; after a re-list they receive only the differences.
 */
export class Informer<Kind extends KubeObject = KubeObject> {
  readonly #options: InformerOptions<Kind>;
  readonly #transform: (object: Kind) => Kind;
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

  constructor(options: InformerOptions<Kind>) {
    const { resource, labelSelector, fieldSelector, transform = (object) => object } = options;
    this.#options = options;
    this.#transform = transform;
    const isSelective = labelSelector !== undefined || fieldSelector !== undefined;
    this.#followed = {
      group: resource.group,
      resource: resource.resource,
      namespace: resource.namespace ?? '',
      isSelective,
    };
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
    this.#running = this.#run(this.#stop.signal);
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

  #run(signal: AbortSignal): Promise<void> {
    const { onError, backoff, sleep } = this.#options;
    const consumer = {
      take: (event: ListWatchEvent, resourceVersion?: string) => this.#take(event, resourceVersion),
      permit: () => this.#follower?.permit(),
    };
    const listWatch = new ListWatch(this.#options, consumer, signal);
    return reflect(
      {
        list: () => listWatch.list(),
        watch: () => listWatch.watch(),
        onState: (state) => this.#enter(state),
        // A list whose pages expired is no failure either.
        onFailure: (error) => void (isHistoryLost(error) || onError?.(error)),
        backoff,
        sleep,
      },
      signal,
    );
  }

  #enter(state: ReflectorState): void {
    if (state.phase === 'Backoff') this.#failures = state.end.reason === 'WatchEnded' ? 0 : this.#failures + 1;
    this.#report(state.phase);
  }

  /** Says how far the informer is. Its waits between attempts are short until it has failed a few times. */
  #report(phase: ReflectorState['phase']): void {
    if (phase === 'Watching') this.#follower?.reached(this.#resourceVersion ?? '');
    const isFailing = this.#failures >= patientFailures;
    this.#follower?.is(isFailing ? 'failing' : phase === 'Watching' ? 'following' : 'opening');
  }

  #take(event: ListWatchEvent, resourceVersion: string | undefined): void {
    this.#resourceVersion = resourceVersion ?? this.#resourceVersion;
    this.#apply(event);
    if (event.type !== 'Init') this.#failures = 0;
    this.#report(resourceVersion === undefined ? 'Listing' : 'Watching');
  }

  #apply(event: ListWatchEvent): void {
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

/** A copy whose transform dropped the version counts as changed with every event. */
const hasChanged = ({ metadata: { resourceVersion } }: KubeObject, { metadata }: KubeObject): boolean =>
  resourceVersion === undefined || resourceVersion !== metadata.resourceVersion;

/** `namespace/name`, or the bare name for cluster-scoped objects. */
export function objectKey(object: KubeObject): string {
  const { namespace, name } = object.metadata;
  return namespace === undefined || namespace === '' ? (name ?? '') : `${namespace}/${name ?? ''}`;
}
