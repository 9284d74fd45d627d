import type { GroupResource } from '@apichain/meta';
import { formatResource, type CacheState } from '@apichain/storage';
import { Gauge, type Registry } from 'prom-client';

/** The sources of the storage size metrics, called when the metrics are read. */
interface StoredSizes {
  /** The resources with an open storage. */
  resources(): Iterable<StoredResource>;
  /** Sizes of the etcd databases in bytes. Each rejects when its etcd does not respond. */
  readonly databases: readonly (() => Promise<number>)[];
}

export interface StoredResource {
  readonly resource: GroupResource;
  readonly cache: CacheState | undefined;
  /** Sends a request to etcd. Rejects when etcd does not respond. */
  size(): Promise<ObjectSizes>;
}

/** The number of objects of a resource, and their average size in a watch cache. */
export interface ObjectSizes {
  readonly count: number;
  readonly averageBytes: number;
}

/** The maximum age of a cached response of etcd, in milliseconds: the polling interval of kube-apiserver. */
const maxAgeMs = 60_000;
/** The metric shows the last 15 digits of a revision. */
const revisionModulus = 1e15;
const unknown: ObjectSizes = { count: -1, averageBytes: 0 };

/** Installs metrics of stored and cached sizes, computed when they are read: https://kubernetes.io/docs/reference/instrumentation/metrics/ */
export function installStorageSizes(registry: Registry, sizes: StoredSizes): void {
  const registers = [registry];
  const measured = measuring(sizes);
  const gauge = <Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
    valueOf: (measured: Measured) => number | undefined,
    labelsOf: (resource: GroupResource) => Record<Label, string>,
  ) =>
    new Gauge({
      name,
      help,
      labelNames,
      registers,
      async collect() {
        const all = await measured();
        this.reset();
        for (const one of all) {
          const value = valueOf(one);
          if (value !== undefined) this.set(labelsOf(one.resource), value);
        }
      },
    });
  const perResource = (name: string, help: string, valueOf: (measured: Measured) => number | undefined) =>
    gauge(name, help, ['group', 'resource'], valueOf, ({ group, resource }) => ({ group, resource }));
  const stored = 'Objects stored; -1 when etcd does not say.';
  perResource('apiserver_resource_objects', stored, ({ count }) => count);
  gauge(
    'apiserver_storage_objects',
    stored,
    ['resource'],
    ({ count }) => count,
    (resource) => ({
      resource: formatResource(resource),
    }),
  );
  perResource(
    'apiserver_resource_size_estimate_bytes',
    'Bytes that objects take in etcd, estimated by some of them.',
    ({ count, averageBytes }) => (count < 0 ? -1 : count * averageBytes),
  );
  perResource(
    'apiserver_watch_cache_resource_version',
    'The revision that a watch cache has reached, its last 15 digits.',
    ({ cache }) => (cache === undefined ? undefined : cache.revision % revisionModulus),
  );
  perResource(
    'watch_cache_capacity',
    'Recent events for which a watch cache has room.',
    ({ cache }) => cache?.historyCapacity,
  );
  new Gauge({
    name: 'apiserver_storage_size_bytes',
    help: 'Bytes that the database of etcd takes.',
    labelNames: ['storage_cluster_id'],
    registers,
    async collect() {
      // An etcd that does not respond has no sample. The readiness check and the request errors of etcd report it.
      const bytes = await Promise.all(sizes.databases.map((size) => size().catch(() => undefined)));
      this.reset();
      bytes.forEach((size, index) => {
        if (size !== undefined) this.set({ storage_cluster_id: `etcd-${index}` }, size);
      });
    },
  });
}

interface Measured extends ObjectSizes {
  readonly resource: GroupResource;
  readonly cache: CacheState | undefined;
}

/** Measures each resource once for all gauges that are read at the same time. */
function measuring(sizes: StoredSizes): () => Promise<readonly Measured[]> {
  const asked = new RecentSizes();
  const measure = () =>
    Promise.all(
      Array.from(sizes.resources(), async (stored): Promise<Measured> => {
        const { resource, cache } = stored;
        if (cache === undefined) return { resource, cache, ...(await asked.of(stored)) };
        return { resource, cache, count: cache.objects, averageBytes: cache.averageBytes };
      }),
    );
  let underWay: Promise<readonly Measured[]> | undefined;
  return () => {
    underWay ??= measure().finally(() => (underWay = undefined));
    return underWay;
  };
}

/** Caches the recent responses of etcd. */
class RecentSizes {
  readonly #known = new WeakMap<GroupResource, { readonly at: number; readonly sizes: ObjectSizes }>();

  async of(stored: StoredResource): Promise<ObjectSizes> {
    const { resource } = stored;
    const known = this.#known.get(resource);
    if (known !== undefined && performance.now() - known.at < maxAgeMs) return known.sizes;
    const sizes = await stored.size().catch(() => unknown);
    this.#known.set(resource, { at: performance.now(), sizes });
    return sizes;
  }
}
