import { setTimeout as sleep } from 'node:timers/promises';
import { type KubeObject, StatusError, isStatusError } from '@apichain/meta';
import type { Query, ResourceReference, RestClient } from './rest-client.ts';

export interface InformerHandlers {
  readonly onAdd?: (object: KubeObject) => void;
  readonly onUpdate?: (object: KubeObject, old: KubeObject) => void;
  readonly onDelete?: (object: KubeObject) => void;
}

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
}

const pageSize = 500;
const firstBackoffMs = 100;
const maxBackoffMs = 10_000;

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
  #backoffMs = firstBackoffMs;
  #hasSynced = false;
  #running: Promise<void> | undefined;

  constructor(options: InformerOptions) {
    this.#options = options;
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
      try {
        this.#revision ??= await this.#relist();
        await this.#watch(this.#revision);
      } catch (error) {
        if (signal.aborted) return;
        if (isStatusError(error) && error.code === 410) this.#revision = undefined;
        else this.#options.onError?.(error);
        await sleep(this.#backoffMs, undefined, { signal }).catch(ignoreAbort);
        this.#backoffMs = Math.min(this.#backoffMs * 2, maxBackoffMs);
      }
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
      this.#backoffMs = firstBackoffMs;
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

function ignoreAbort(error: unknown): void {
  if (!(error instanceof Error) || error.name !== 'AbortError') throw error;
}
