import { setTimeout as delay } from 'node:timers/promises';
import { type KubeObject, StatusError, isStatusError } from '@apichain/meta';
import { ReconnectBackoff } from './reconnect-backoff.ts';
import type { Query, ResourceReference, RestClient } from './rest-client.ts';

/** Called with each change of the copy. The objects are shared: handlers do not change them. */
export interface InformerHandlers {
  readonly onAdd?: (object: KubeObject) => void;
  readonly onUpdate?: (object: KubeObject, old: KubeObject) => void;
  readonly onDelete?: (object: KubeObject) => void;
}

/** What an informer follows, and how it goes about it. */
export interface InformerOptions {
  readonly client: RestClient;
  readonly resource: ResourceReference;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Fetch and watch PartialObjectMetadata instead of whole objects. */
  readonly metadataOnly?: boolean;
  /** What to keep of an object, to save memory; must keep namespace, name and resourceVersion. */
  readonly transform?: (object: KubeObject) => KubeObject;
  /** Told of every failure; the informer goes on with backoff. */
  readonly onError?: (error: unknown) => void;
  /** Instead of the usual times between attempts. */
  readonly backoff?: ReconnectBackoff;
  /** Instead of a timer; resolves early when the signal aborts. */
  readonly sleep?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

const pageSize = 500;

/**
 * Keeps a local copy of a resource: lists, then watches from there, lists again when the server forgot the revision (410) and
 * resumes after lost connections. Handlers hear each change once; after a re-list they hear only the differences.
 */
export class Informer {
  readonly #options: InformerOptions;
  readonly #handlers: InformerHandlers[] = [];
  readonly #objects = new Map<string, KubeObject>();
  readonly #stop = new AbortController();
  readonly #synced = Promise.withResolvers<void>();
  #revision: string | undefined;
  readonly #backoff: ReconnectBackoff;
  readonly #sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  #hasSynced = false;
  #running: Promise<void> | undefined;

  constructor(options: InformerOptions) {
    this.#options = options;
    this.#backoff = options.backoff ?? new ReconnectBackoff();
    this.#sleep = options.sleep ?? pause;
  }

  /** Register before `start`; a later handler misses what came before it. */
  addHandlers(handlers: InformerHandlers): this {
    this.#handlers.push(handlers);
    return this;
  }

  start(): this {
    this.#running ??= this.#run();
    return this;
  }

  get hasSynced(): boolean {
    return this.#hasSynced;
  }

  /** Resolves when the first list has been taken in. */
  waitForSync(): Promise<void> {
    return this.#synced.promise;
  }

  /** By `namespace/name`, or `name` for cluster-scoped objects. The copy is shared: do not change it. */
  get(key: string): KubeObject | undefined {
    return this.#objects.get(key);
  }

  list(): KubeObject[] {
    return [...this.#objects.values()];
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      let since: number | undefined;
      try {
        this.#revision ??= await this.#relist();
        since = performance.now();
        await this.#watch(this.#revision);
      } catch (error) {
        if (signal.aborted) return;
        if (isStatusError(error) && error.code === 410) this.#revision = undefined;
        else this.#options.onError?.(error);
      }
      // A server that ends watches in the regular way as soon as they begin is not asked without a pause either.
      const lasted = since === undefined ? 0 : performance.now() - since;
      if (!signal.aborted) await this.#sleep(this.#backoff.next(lasted), signal);
    }
  }

  async #relist(): Promise<string> {
    const { client, resource, ...options } = this.#options;
    const seen = new Set<string>();
    let next: string | undefined;
    let resourceVersion = '';
    do {
      const page = await client.list(resource, { ...this.#selectors(), limit: pageSize, continue: next }, options);
      resourceVersion = page.metadata.resourceVersion ?? '';
      next = page.metadata.continue;
      for (const item of page.items) {
        const object = { ...item, apiVersion: page.apiVersion, kind: page.kind.replace(/List$/, '') };
        seen.add(objectKey(object));
        this.#store(object);
      }
    } while (next !== undefined && next !== '');
    for (const [key, object] of this.#objects) if (!seen.has(key)) this.#remove(key, object);
    this.#hasSynced = true;
    this.#synced.resolve();
    return resourceVersion;
  }

  /** Follows events until the server ends the watch in the regular way; keeps the revision to go on from. */
  async #watch(from: string): Promise<void> {
    const { client, resource, ...options } = this.#options;
    const query: Query = { ...this.#selectors(), resourceVersion: from, allowWatchBookmarks: true };
    for await (const event of client.watch(resource, query, this.#stop.signal, options)) {
      if (event.type === 'ERROR') throw new StatusError(event.object);
      this.#revision = event.object.metadata.resourceVersion ?? from;
      if (event.type === 'DELETED') this.#remove(objectKey(event.object), this.#transformed(event.object));
      else if (event.type !== 'BOOKMARK') this.#store(event.object);
    }
  }

  #selectors(): Query {
    return { labelSelector: this.#options.labelSelector, fieldSelector: this.#options.fieldSelector };
  }

  #transformed(received: KubeObject): KubeObject {
    return this.#options.transform?.(received) ?? received;
  }

  #store(received: KubeObject): void {
    const object = this.#transformed(received);
    const key = objectKey(object);
    const old = this.#objects.get(key);
    this.#objects.set(key, object);
    if (old === undefined) for (const handler of this.#handlers) handler.onAdd?.(object);
    else if (old.metadata.resourceVersion !== object.metadata.resourceVersion)
      for (const handler of this.#handlers) handler.onUpdate?.(object, old);
  }

  #remove(key: string, last: KubeObject): void {
    if (!this.#objects.delete(key)) return;
    for (const handler of this.#handlers) handler.onDelete?.(last);
  }
}

/** `namespace/name`, or the bare name for cluster-scoped objects. */
export function objectKey(object: KubeObject): string {
  const { namespace, name } = object.metadata;
  return namespace === undefined || namespace === '' ? (name ?? '') : `${namespace}/${name ?? ''}`;
}

const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  delay(milliseconds, undefined, { signal }).catch(ignoreAbort);

function ignoreAbort(error: unknown): void {
  if (!(error instanceof Error) || error.name !== 'AbortError') throw error;
}
