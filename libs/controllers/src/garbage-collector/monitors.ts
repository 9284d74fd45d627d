import type { Informer } from '@apichain/client';
import { type KubeObject, type ObjectMeta, formatGroupVersion } from '@apichain/meta';
import type { DiscoveredMapping } from '@apichain/rest-mapper';
import { type ControllerContext, forEachLimited, newInformer } from '../context.ts';
import type { DependencyGraph } from './graph.ts';
import type { Identity } from './identity.ts';

const startedAtOnce = 8;
/** A resource whose server does not answer must not hold up the others. */
const syncPatienceMs = 5_000;

/** Events come and go by themselves, and are many. */
const isIgnored = ({ group, resource }: DiscoveredMapping) =>
  resource === 'events' && (group === '' || group === 'events.k8s.io');

/** Watches the metadata of everything that can be listed, watched and deleted, and tells the graph. */
export class Monitors {
  readonly #context: ControllerContext;
  readonly #graph: DependencyGraph;
  readonly #onTypesChanged: () => void;
  readonly #informers = new Map<string, Informer>();

  /** `onTypesChanged` is told when a CRD or an APIService comes, changes or goes. */
  constructor(context: ControllerContext, graph: DependencyGraph, onTypesChanged: () => void) {
    this.#context = context;
    this.#graph = graph;
    this.#onTypesChanged = onTypesChanged;
  }

  /** Watches exactly these resources from now on. Resolves when the new ones are in sync, or took too long. */
  async watch(resources: readonly DiscoveredMapping[]): Promise<void> {
    const wanted = new Set(resources.filter(isWatchable).map(keyOf));
    for (const [key, informer] of this.#informers)
      if (!wanted.has(key)) {
        this.#informers.delete(key);
        void informer.stop();
      }
    await this.watchAlso(resources);
  }

  /** The same, without giving up any that is watched already. */
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
    // A name may have been taken over by a new object between two lists.
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

/** What the graph needs, and nothing else: everything in the cluster passes here. */
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
