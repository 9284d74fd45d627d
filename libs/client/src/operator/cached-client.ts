import {
  formatGroupResource,
  newNotFound,
  parseFieldSelector,
  parseLabelSelector,
  type FieldSelector,
  type KubeObject,
} from '@apichain/meta';
import { byNamespace, type IndexFunction } from '../informer-index.ts';
import type { Informer } from '../informer.ts';
import {
  RestClient,
  type ObjectList,
  type Query,
  type RequestOptions,
  type ResourceReference,
} from '../rest-client.ts';
import type { SharedInformers } from '../shared-informers.ts';
import { ownCopy, resourceKey, type KindReference } from './kind.ts';

/** A field by which the objects of a kind are listed from a cache: `indexField(kinds.Pod, 'spec.nodeName', (pod) => [pod.spec?.nodeName ?? ''])`. */
export interface FieldIndex {
  readonly kind: KindReference;
  readonly field: string;
  readonly valuesOf: IndexFunction;
}

/** Lets the objects of a watched kind be listed from the cache by a field, as `fieldSelector: 'spec.nodeName=a'`, also by one that no server knows. */
export const indexField = <Kind extends KubeObject>(
  kind: KindReference<Kind>,
  field: string,
  valuesOf: IndexFunction<Kind>,
): FieldIndex => ({ kind, field, valuesOf: valuesOf as IndexFunction });

/** An informer of any kind of objects. */
interface Startable {
  start(): unknown;
  readonly hasSynced: boolean;
  waitForSync(): Promise<void>;
}

/** The informer of a kind. */
interface Followed {
  readonly kind: KindReference;
  readonly informer: Startable;
}

/** The informers of the kinds that the controllers of a manager watch: each resource once. */
export class Cache {
  readonly #shared: SharedInformers;
  readonly #namespaces: readonly string[];
  readonly #kinds = new Map<string, KindReference>();
  readonly #indexes = new Map<string, IndexFunction>();
  readonly #informers = new Map<string, Followed>();

  /** `namespaces` are those that are watched; an empty list stands for all. */
  constructor(shared: SharedInformers, namespaces: readonly string[]) {
    this.#shared = shared;
    this.#namespaces = namespaces;
  }

  /** The informers of a kind, which is read from the cache from now on: one, or one for each namespace. */
  watch<Kind extends KubeObject>(kind: KindReference<Kind>): Informer<Kind>[] {
    this.#kinds.set(resourceKey(kind), kind);
    return this.#namespacesOf(kind).map((namespace) => {
      const informer = this.#informer(kind, namespace);
      this.#informers.set(`${resourceKey(kind)} ${namespace}`, { kind, informer });
      return informer;
    });
  }

  /** Starts all informers. Resolves when they have their objects. */
  async start(): Promise<void> {
    const informers = Array.from(this.#informers.values(), ({ informer }) => informer);
    for (const informer of informers) informer.start();
    await Promise.all(informers.map((informer) => informer.waitForSync()));
  }

  /** The resources that have not been listed yet, with the last of their failures. */
  unsynced(failures: ReadonlyMap<string, string>): string[] {
    const late = [...this.#informers.values()].filter(({ informer }) => !informer.hasSynced);
    const names = new Set(late.map(({ kind }) => formatGroupResource(kind)));
    const whyOf = new Map(late.map(({ kind }) => [formatGroupResource(kind), failures.get(kind.resource)]));
    return Array.from(names, (name) => `${name}: ${whyOf.get(name) ?? 'no response'}`);
  }

  index({ kind, field, valuesOf }: FieldIndex): void {
    for (const informer of this.watch(kind)) informer.index(valuesOf);
    this.#indexes.set(`${resourceKey(kind)} ${field}`, valuesOf);
  }

  /** A copy of an object. `undefined`: the cache does not have it; `unwatched`: it cannot know. */
  get<Kind extends KubeObject>(resource: ResourceReference<Kind>, name: string): Kind | undefined | 'unwatched' {
    const found = this.#find(resource);
    if (found === undefined) return 'unwatched';
    const { namespace = '' } = resource;
    const object = found.informers
      .map((one) => one.get(namespace === '' ? name : `${namespace}/${name}`))
      .find(Boolean);
    return object === undefined ? undefined : ownCopy(found.kind, object);
  }

  /** Copies of the objects that selectors select. Undefined if the cache cannot know them. */
  list<Kind extends KubeObject>(
    resource: ResourceReference<Kind>,
    labelSelector: string,
    fieldSelector: string,
  ): ObjectList<Kind> | undefined {
    const found = this.#find(resource);
    const labels = parseLabelSelector(labelSelector);
    const valued = found && this.#byField(resource, parseFieldSelector(fieldSelector));
    if (found === undefined || valued === undefined) return undefined;
    const { namespace = '' } = resource;
    const { kind, informers } = found;
    const items = informers
      .flatMap((informer) => valued(informer))
      .filter(
        ({ metadata }) => (namespace === '' || metadata.namespace === namespace) && labels.matches(metadata.labels),
      )
      .map((object) => ownCopy(kind, object));
    const resourceVersion = informers.length === 1 ? informers[0]?.resourceVersion : undefined;
    const { group, version } = kind;
    return {
      apiVersion: group === '' ? version : `${group}/${version}`,
      kind: `${kind.kind}List`,
      metadata: resourceVersion === undefined ? {} : { resourceVersion },
      items,
    };
  }

  /** How the objects are found that a field selector selects; undefined if no index has them. */
  #byField<Kind extends KubeObject>(
    resource: ResourceReference<Kind>,
    selector: FieldSelector,
  ): ((informer: Informer<Kind>) => Kind[]) | undefined {
    const { namespace = '' } = resource;
    const [first, ...others] = selector.requirements;
    if (first === undefined)
      return (informer) => (namespace === '' ? informer.list() : informer.index(byNamespace).get(namespace));
    const valuesOf = this.#indexes.get(`${resourceKey(resource)} ${first.field}`);
    if (others.length > 0 || first.operator === '!=' || valuesOf === undefined) return undefined;
    return (informer) => informer.index(valuesOf).get(first.value);
  }

  #find<Kind extends KubeObject>(resource: ResourceReference<Kind>) {
    const kind = this.#kinds.get(resourceKey(resource)) as KindReference<Kind> | undefined;
    if (kind === undefined) return undefined;
    const { namespace = '' } = resource;
    const watched = this.#namespacesOf(kind);
    const isAll = watched.includes('');
    if (!isAll && namespace !== '' && !watched.includes(namespace)) return undefined;
    const informers = watched.filter((one) => isAll || namespace === '' || one === namespace);
    const found = informers.map((one) => this.#informer(kind, one));
    return found.every((informer) => informer.hasSynced) ? { kind, informers: found } : undefined;
  }

  #namespacesOf({ namespaced = true }: KindReference): readonly string[] {
    return namespaced && this.#namespaces.length > 0 ? this.#namespaces : [''];
  }

  #informer<Kind extends KubeObject>({ group, version, resource }: ResourceReference<Kind>, namespace: string) {
    return this.#shared.informer<Kind>({ group, version, resource, namespace });
  }
}

/** The parameters of a list that a cache can apply. Any other is a matter of the server. */
const cacheable: ReadonlySet<string> = new Set(['labelSelector', 'fieldSelector']);

const isCacheable = (query: Query, options: RequestOptions, parameters: ReadonlySet<string>): boolean =>
  options.metadataOnly !== true &&
  Object.keys(query).every((name) => query[name] === undefined || parameters.has(name));

/**
 * The client of controllers, as in controller-runtime: objects of watched kinds are read from the cache of the manager, which may be older than the server's;
 * writes go to the server, and so do reads of kinds that nobody watches, and those with parameters that need a server (`limit`, `resourceVersion`, fields
 * without an index). Unlike in controller-runtime, reading a kind does not make it a watched one. What is read is a copy, which may be changed.
 */
export class CachedClient extends RestClient {
  readonly #cache: Cache;

  constructor(client: RestClient, cache: Cache) {
    super(client.transport);
    this.#cache = cache;
  }

  override async get<Kind extends KubeObject = KubeObject>(
    ref: ResourceReference<Kind>,
    name: string,
    query: Query = {},
    options: RequestOptions = {},
  ): Promise<Kind> {
    const found = isCacheable(query, options, new Set()) ? this.#cache.get(ref, name) : 'unwatched';
    if (found === 'unwatched') return super.get(ref, name, query, options);
    if (found === undefined) throw newNotFound(ref, name);
    return found;
  }

  override async list<Kind extends KubeObject = KubeObject>(
    ref: ResourceReference<Kind>,
    query: Query = {},
    options: RequestOptions = {},
  ): Promise<ObjectList<Kind>> {
    const { labelSelector = '', fieldSelector = '' } = query;
    const found = isCacheable(query, options, cacheable)
      ? this.#cache.list(ref, String(labelSelector), String(fieldSelector))
      : undefined;
    return found ?? super.list(ref, query, options);
  }
}
