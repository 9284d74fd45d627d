import { trimmedMetadata, type Informer, type InformerHandlers } from '@apichain/client';
import { type KubeObject, type ObjectMeta, formatGroupVersion, startTimer } from '@apichain/meta';
import type { DiscoveredMapping } from '@apichain/rest-mapper';
import { type ControllerContext, forEachLimited, newInformer } from '../context.ts';
import type { DependencyGraph } from './graph.ts';
import type { Identity } from './identity.ts';

const startedAtOnce = 8;
/** The sync timeout of one resource: a server that does not respond must not block the other resources. */
const syncTimeoutMs = 5_000;
/** Nor must a server that refuses: after so many failures nobody waits for its resource. */
const maxSyncFailures = 3;

type MonitorsContext = Pick<ControllerContext, 'client' | 'log' | 'signal' | 'knownMetadata'>;

/** The watch of one resource. */
interface Monitor {
  readonly informer: Informer;
  /** Whether other controllers follow the resource with the same informer. */
  readonly isShared: boolean;
  /** Resolves when the resource need not be waited for: it has failed a few times. */
  readonly hasFailed: Promise<void>;
}

/** Events are ignored: they expire without the garbage collector, and there are many. */
const isIgnored = ({ group, resource }: DiscoveredMapping) =>
  resource === 'events' && (group === '' || group === 'events.k8s.io');

/** Watches the metadata of every resource that can be listed, watched and deleted, and updates the graph. */
export class Monitors {
  readonly #context: MonitorsContext;
  readonly #graph: DependencyGraph;
  readonly #onTypesChanged: () => void;
  readonly #monitors = new Map<string, Monitor>();
  readonly #isServed: (name: string) => boolean;

  /**
   * `onTypesChanged` is called when a CRD or an APIService is created, updated or deleted. Those of the first list count as created when their types
   * have not been discovered: `isServed` is asked for names such as `tenants.example.com` and `v1.example.com`.
   */
  constructor(
    context: MonitorsContext,
    graph: DependencyGraph,
    onTypesChanged: () => void,
    isServed: (name: string) => boolean,
  ) {
    this.#context = context;
    this.#graph = graph;
    this.#onTypesChanged = onTypesChanged;
    this.#isServed = isServed;
  }

  /** Watches exactly these resources from now on. Resolves when the new watches are in sync or have timed out. */
  async watch(resources: readonly DiscoveredMapping[]): Promise<void> {
    const wanted = new Set(resources.filter(isWatchable).map(keyOf));
    for (const [key, { informer, isShared }] of this.#monitors)
      if (!wanted.has(key)) {
        this.#monitors.delete(key);
        if (!isShared) void informer.stop();
      }
    await this.watchAlso(resources);
  }

  /** As `watch`, but keeps the existing watches of other resources. */
  async watchAlso(resources: readonly DiscoveredMapping[]): Promise<void> {
    const added = resources.filter((resource) => isWatchable(resource) && !this.#monitors.has(keyOf(resource)));
    await forEachLimited(added, startedAtOnce, async (resource) => {
      if (this.#context.signal.aborted) return;
      const monitor = this.#monitorOf(resource);
      this.#monitors.set(keyOf(resource), monitor);
      monitor.informer.addHandlers(this.#handlersOf(resource, monitor)).start();
      await syncedOrTimeout(Promise.race([monitor.informer.waitForSync(), monitor.hasFailed]), this.#context.signal);
    });
  }

  /** Stops all own informers. */
  async stop(): Promise<void> {
    const own = [...this.#monitors.values()].filter(({ isShared }) => !isShared);
    await Promise.all(own.map(({ informer }) => informer.stop()));
  }

  /** Follows with the informer of the other controllers, if there is one, as kube-controller-manager does. Otherwise only metadata is read. */
  #monitorOf({ group, version, resource: plural }: DiscoveredMapping): Monitor {
    const resource = { group, version, resource: plural };
    const shared = this.#context.knownMetadata(resource);
    const failed = Promise.withResolvers<void>();
    if (shared !== undefined) return { informer: shared, isShared: true, hasFailed: failed.promise };
    let failures = 0;
    const onError = () => {
      if (++failures === maxSyncFailures) failed.resolve();
    };
    const informer = newInformer(this.#context, {
      ...{ resource, metadataOnly: true, streamsInitialState: true },
      transform: trimmedMetadata,
      onError,
    });
    return { informer, isShared: false, hasFailed: failed.promise };
  }

  #handlersOf(resource: DiscoveredMapping, monitor: Monitor): InformerHandlers {
    const apiVersion = formatGroupVersion(resource);
    const { group, kind } = resource;
    const identify = ({ metadata: { name = '', uid = '', namespace = '' } }: KubeObject): Identity => ({
      apiVersion,
      kind,
      name,
      uid,
      namespace,
    });
    const definesTypes = definers.has(`${resource.resource}.${group}`);
    // Handlers of a shared informer outlive the watch of a resource that is no longer served.
    const isWatched = () => this.#monitors.get(keyOf(resource)) === monitor;
    const report = (object: KubeObject, before?: KubeObject) => {
      if (!isWatched()) return;
      this.#observe(identify(object), object.metadata, before?.metadata);
      const isKnown = !monitor.informer.hasSynced && this.#isServed(object.metadata.name ?? '');
      if (definesTypes && !isKnown) this.#onTypesChanged();
    };
    return {
      onAdd: (object) => report(object),
      onUpdate: report,
      onDelete: (object) => {
        if (!isWatched()) return;
        this.#graph.remove(identify(object));
        if (definesTypes) this.#onTypesChanged();
      },
    };
  }

  #observe(identity: Identity, metadata: ObjectMeta, before: ObjectMeta | undefined): void {
    // Between two lists an object may have been replaced by another object with the same name.
    if (before !== undefined && before.uid !== metadata.uid) {
      this.#graph.remove({ ...identity, uid: before.uid ?? '' });
      this.#graph.observe(identity, metadata);
    } else this.#graph.observe(identity, metadata, before);
  }
}

const definers: ReadonlySet<string> = new Set([
  'customresourcedefinitions.apiextensions.k8s.io',
  'apiservices.apiregistration.k8s.io',
]);

function isWatchable(resource: DiscoveredMapping): boolean {
  return !isIgnored(resource) && ['delete', 'list', 'watch'].every((verb) => resource.verbs.includes(verb));
}

function keyOf(resource: DiscoveredMapping): string {
  return `${formatGroupVersion(resource)}/${resource.resource}|${resource.kind}`;
}

/** Resolves when a watch is in sync, after the sync timeout by the clock of the chain, or at the end. */
async function syncedOrTimeout(synced: Promise<void>, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const end = () => {
      cancel();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const cancel = startTimer(end, syncTimeoutMs, 'retry');
    signal.addEventListener('abort', end, { once: true });
    void synced.then(end);
  });
}
