import type { Informer } from '@apichain/client';
import { type KubeObject, type ObjectMeta, formatGroupVersion } from '@apichain/meta';
import type { DiscoveredMapping } from '@apichain/rest-mapper';
import { type ControllerContext, forEachLimited, newInformer } from '../context.ts';
import type { DependencyGraph } from './graph.ts';
import type { Identity } from './identity.ts';

const startedAtOnce = 8;
/** The sync timeout of one resource: a server that does not respond must not block the other resources. */
const syncPatienceMs = 5_000;

/** Events are ignored: they expire without the garbage collector, and there are many. */
const isIgnored = ({ group, resource }: DiscoveredMapping) =>
  resource === 'events' && (group === '' || group === 'events.k8s.io');

/** Watches the metadata of every resource that can be listed, watched and deleted, and updates the graph. */
export class Monitors {
  readonly #context: ControllerContext;
  readonly #graph: DependencyGraph;
  readonly #onTypesChanged: () => void;
  readonly #informers = new Map<string, Informer>();

  /** `onTypesChanged` is called when a CRD or an APIService is created, updated or deleted. */
  constructor(context: ControllerContext, graph: DependencyGraph, onTypesChanged: () => void) {
    this.#context = context;
    this.#graph = graph;
    this.#onTypesChanged = onTypesChanged;
  }

  /** Watches exactly these resources from now on. Resolves when the new watches are in sync or have timed out. */
  async watch(resources: readonly DiscoveredMapping[]): Promise<void> {
    const wanted = new Set(resources.filter(isWatchable).map(keyOf));
    for (const [key, informer] of this.#informers)
      if (!wanted.has(key)) {
        this.#informers.delete(key);
        void informer.stop();
      }
    await this.watchAlso(resources);
  }

  /** As `watch`, but keeps the existing watches of other resources. */
  async watchAlso(resources: readonly DiscoveredMapping[]): Promise<void> {
    const added = resources.filter((resource) => isWatchable(resource) && !this.#informers.has(keyOf(resource)));
    await forEachLimited(added, startedAtOnce, async (resource) => {
      if (this.#context.signal.aborted) return;
      const key = keyOf(resource);
      const informer = this.#informerOf(resource);
      this.#informers.set(key, informer);
      informer.start();
      await withPatience(informer.waitForSync(), this.#context.signal);
    });
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#informers.values()].map((informer) => informer.stop()));
  }

  #informerOf(resource: DiscoveredMapping): Informer {
    const apiVersion = formatGroupVersion(resource);
    const { group, version, kind } = resource;
    const identify = ({ metadata: { name = '', uid = '', namespace = '' } }: KubeObject): Identity => ({
      apiVersion,
      kind,
      name,
      uid,
      namespace,
    });
    const definesTypes = definers.has(`${resource.resource}.${group}`);
    const report = (object: KubeObject, before?: KubeObject) => {
      this.#observe(identify(object), object.metadata, before?.metadata);
      if (definesTypes) this.#onTypesChanged();
    };
    const ref = { group, version, resource: resource.resource };
    return newInformer(this.#context, { resource: ref, metadataOnly: true, transform: trim }).addHandlers({
      onAdd: (object) => report(object),
      onUpdate: report,
      onDelete: (object) => {
        this.#graph.remove(identify(object));
        if (definesTypes) this.#onTypesChanged();
      },
    });
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

/** Keeps only the fields that the graph needs, because the metadata of every object in the cluster passes through here. */
function trim({ metadata }: KubeObject): KubeObject {
  const { name, namespace, uid, resourceVersion, deletionTimestamp, ownerReferences, finalizers } = metadata;
  const kept: ObjectMeta = {};
  if (name !== undefined) kept.name = name;
  if (namespace !== undefined) kept.namespace = namespace;
  if (uid !== undefined) kept.uid = uid;
  if (resourceVersion !== undefined) kept.resourceVersion = resourceVersion;
  if (deletionTimestamp !== undefined) kept.deletionTimestamp = deletionTimestamp;
  if (ownerReferences !== undefined) kept.ownerReferences = ownerReferences;
  if (finalizers !== undefined) kept.finalizers = finalizers;
  return { apiVersion: '', kind: '', metadata: kept };
}

async function withPatience(synced: Promise<void>, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, syncPatienceMs);
    signal.addEventListener('abort', () => resolve(), { once: true });
    void synced.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
