import { type Evaluator, evaluators, isCounted, objectCounter } from '@apichain/admission/quota';
import { type Index, type Informer, byNamespace } from '@apichain/client';
import {
  type GroupResource,
  type KubeObject,
  currentTime,
  formatGroupResource,
  formatGroupVersion,
} from '@apichain/meta';
import type { DiscoveredMapping } from '@apichain/rest-mapper';
import { type ControllerContext, newInformer } from '../context.ts';
import { type Counted, countsDifferently } from './usage.ts';

/** How long served resources are believed to be as discovered. */
const discoveryMs = 30_000;

/**
 * Resources that are read from the informers of whole objects: those of which quotas count more than the objects, and quotas, which the controller knows from
 * there. A copy of its own would not have a new quota yet when its usage is computed, and nothing would compute it again.
 */
const wholeObjects: ReadonlySet<string> = new Set([
  'resourcequotas',
  'pods',
  'services',
  'persistentvolumeclaims',
  'resourceclaims.resource.k8s.io',
]);

interface Followed {
  readonly evaluator: Evaluator;
  readonly informer: Informer;
  readonly inNamespace: Index<KubeObject>;
  /** Whether other controllers read this informer as well. */
  readonly isShared: boolean;
}

/** Follows the resources that quotas count, each from the first quota on that limits it. */
export class CountedResources {
  readonly #context: ControllerContext;
  readonly #onReleased: (evaluator: Evaluator, namespace: string) => void;
  readonly #followed = new Map<string, Followed>();
  #served: ReadonlyMap<string, DiscoveredMapping> = new Map();
  #discovered = -Infinity;

  /** `onReleased` is called when an object has gone or counts differently. */
  constructor(context: ControllerContext, onReleased: (evaluator: Evaluator, namespace: string) => void) {
    this.#context = context;
    this.#onReleased = onReleased;
  }

  /** All ways to count that are in use. */
  get evaluators(): Evaluator[] {
    return [...evaluators.values(), ...[...this.#followed.values()].map(({ evaluator }) => evaluator)];
  }

  /**
   * The objects in a namespace that count for some names of a quota's limits. `isComplete` says whether all resources of the names are served and in
   * sync; otherwise `onSynced` is called when one comes into sync.
   */
  async count(
    names: readonly string[],
    namespace: string,
    onSynced: () => void,
  ): Promise<{ counted: Counted[]; isComplete: boolean }> {
    const counted: Counted[] = [];
    let isComplete = true;
    for (const resource of resourcesOf(names)) {
      const followed = this.#followed.get(formatGroupResource(resource)) ?? (await this.#follow(resource));
      if (followed?.informer.hasSynced === true)
        counted.push({ evaluator: followed.evaluator, objects: followed.inNamespace.get(namespace) });
      else isComplete = false;
      if (followed?.informer.hasSynced === false) void followed.informer.waitForSync().then(onSynced);
    }
    return { counted, isComplete };
  }

  async #follow(resource: GroupResource): Promise<Followed | undefined> {
    const key = formatGroupResource(resource);
    const mapping = await this.#mappingOf(key);
    const known = this.#followed.get(key);
    if (mapping === undefined || known !== undefined || this.#context.signal.aborted) return known;
    const { group, version, resource: plural } = mapping;
    const evaluator = evaluators.get(key) ?? objectCounter(resource);
    const ref = { group, version, resource: plural };
    const isShared = wholeObjects.has(key);
    const informer = isShared
      ? this.#context.informer(ref)
      : newInformer(this.#context, { resource: ref, metadataOnly: true, transform: bare });
    const followed = { evaluator, informer, inNamespace: informer.index(byNamespace), isShared };
    this.#followed.set(key, followed);
    const released = ({ metadata: { namespace = '' } }: KubeObject) => {
      // Handlers of a shared informer outlive the watch of a resource that is no longer served.
      if (this.#followed.get(key) === followed) this.#onReleased(evaluator, namespace);
    };
    informer.addHandlers({
      onUpdate: (object, old) => {
        if (countsDifferently(evaluator, object, old)) released(object);
      },
      onDelete: released,
    });
    informer.start();
    return followed;
  }

  async #mappingOf(key: string): Promise<DiscoveredMapping | undefined> {
    if (!this.#served.has(key) && currentTime() - this.#discovered >= discoveryMs) await this.#discover();
    return this.#served.get(key);
  }

  async #discover(): Promise<readonly string[]> {
    const { preferred, stale } = await this.#context.discovery.fresh();
    this.#discovered = currentTime();
    this.#served = new Map(preferred.filter(isQuotable).map((mapping) => [formatGroupResource(mapping), mapping]));
    return stale;
  }

  /** Follows no longer what is not served any more. A group whose server does not respond keeps its resources. */
  async forgetRemoved(): Promise<void> {
    if (this.#followed.size === 0) return;
    const before = this.#served;
    const stale = await this.#discover();
    for (const [key, { informer, isShared }] of this.#followed) {
      const mapping = before.get(key);
      const isStale = mapping !== undefined && stale.includes(formatGroupVersion(mapping));
      if (this.#served.has(key) || isStale) continue;
      this.#followed.delete(key);
      if (!isShared) await informer.stop();
    }
  }

  /** Stops all own informers. */
  async stop(): Promise<void> {
    const own = [...this.#followed.values()].filter(({ isShared }) => !isShared);
    await Promise.all(own.map(({ informer }) => informer.stop()));
  }
}

const isQuotable = (mapping: DiscoveredMapping): boolean =>
  mapping.scope === 'Namespaced' &&
  isCounted(mapping) &&
  ['create', 'list', 'watch', 'delete'].every((verb) => mapping.verbs.includes(verb));

/** Names that are counts of a resource: `count/deployments.apps`. */
const countName = /^count\/([^.]+)(?:\.(.+))?$/;

/** The resources whose objects count for some names of limits. */
function resourcesOf(names: readonly string[]): GroupResource[] {
  const counts = names.flatMap((name) => {
    const [, resource, group = ''] = countName.exec(name) ?? [];
    return resource === undefined ? [] : [{ group, resource }];
  });
  const special = [...evaluators].flatMap(([key, evaluator]) => {
    const [resource = '', ...group] = key.split('.');
    return evaluator.matching(names).length > 0 ? [{ resource, group: group.join('.') }] : [];
  });
  return [...new Map([...special, ...counts].map((each) => [formatGroupResource(each), each])).values()];
}

/** An object of which only its existence counts. */
function bare({ metadata }: KubeObject): KubeObject {
  const { name = '', namespace = '', resourceVersion = '' } = metadata;
  return { apiVersion: '', kind: '', metadata: { name, namespace, resourceVersion } };
}
