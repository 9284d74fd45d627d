import type { KubeObject } from '@apichain/meta';
import { Informer, type InformerOptions } from './informer.ts';
import type { ResourceReference, RestClient } from './rest-client.ts';

/** The client of shared informers, and who hears of their failures. */
interface SharedInformersOptions {
  readonly client: RestClient;
  readonly onError?: (resource: ResourceReference, error: unknown) => void;
}

/** What informers of all kinds have in common. */
type Stoppable = Pick<Informer, 'stop'>;

/**
 * One informer for each resource, for all components that read it: several controllers that follow Pods open one watch and keep one copy. The copy has
 * whole objects without `managedFields`, or, for those who read nothing but metadata, a part of that. Whoever asks first for a resource, or any later, starts its
 * informer.
 */
export class SharedInformers {
  readonly #options: SharedInformersOptions;
  /** By resource. The type of the objects is known to whoever asks: a reference is believed to name it. */
  readonly #informers = new Map<string, Stoppable>();
  readonly #ofMetadata = new Map<string, Informer>();

  constructor(options: SharedInformersOptions) {
    this.#options = options;
  }

  /** The informer of a resource, in all namespaces or in the one of the reference. It is not started here. */
  informer<Kind extends KubeObject = KubeObject>(resource: ResourceReference<Kind>): Informer<Kind> {
    const known = this.known(resource);
    if (known !== undefined) return known;
    const informer = this.#make<Kind>(resource, { transform: withoutManagedFields });
    this.#informers.set(keyOf(resource), informer);
    return informer;
  }

  /**
   * For those who read no more than the names, uid, resourceVersion, time of deletion, owners and finalizers of objects: the informer of whole objects, if
   * somebody has asked for it; else one that keeps only these.
   */
  metadataInformer(resource: ResourceReference): Informer {
    const known = this.knownMetadata(resource);
    if (known !== undefined) return known;
    const informer = this.#make(resource, { metadataOnly: true, transform: trimmedMetadata });
    this.#ofMetadata.set(keyOf(resource), informer);
    return informer;
  }

  /** The informer of a resource, if somebody has asked for it: for those who need only a part of its objects, and would otherwise keep less. */
  known<Kind extends KubeObject = KubeObject>(resource: ResourceReference<Kind>): Informer<Kind> | undefined {
    return this.#informers.get(keyOf(resource)) as Informer<Kind> | undefined;
  }

  /** What `metadataInformer` returns, if somebody has asked for one of the two. */
  knownMetadata(resource: ResourceReference): Informer | undefined {
    return this.known(resource) ?? this.#ofMetadata.get(keyOf(resource));
  }

  #make<Kind extends KubeObject>(
    resource: ResourceReference<Kind>,
    what: Pick<InformerOptions<Kind>, 'metadataOnly' | 'transform'>,
  ): Informer<Kind> {
    const { client, onError } = this.#options;
    return new Informer<Kind>({
      ...what,
      client,
      resource,
      streamsInitialState: true,
      onError: (error) => onError?.(resource, error),
    });
  }

  /** Stops all informers. */
  async stop(): Promise<void> {
    await Promise.all([...this.#informers.values(), ...this.#ofMetadata.values()].map((informer) => informer.stop()));
  }
}

const keyOf = ({ group, version, resource, namespace = '' }: ResourceReference): string =>
  [group, version, resource, namespace].join('/');

/** The object itself, which nobody else has yet, without the facts that only server-side apply needs. */
function withoutManagedFields<Kind extends KubeObject>(object: Kind): Kind {
  delete object.metadata.managedFields;
  return object;
}

/** Keeps the parts of metadata that `metadataInformer` names, because the metadata of every object of a cluster may pass here. */
export function trimmedMetadata({ metadata }: KubeObject): KubeObject {
  const { name, namespace, uid, resourceVersion, deletionTimestamp, ownerReferences, finalizers } = metadata;
  return {
    apiVersion: '',
    kind: '',
    metadata: { name, namespace, uid, resourceVersion, deletionTimestamp, ownerReferences, finalizers },
  };
}
