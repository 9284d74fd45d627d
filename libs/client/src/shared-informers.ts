import type { KubeObject } from '@apichain/meta';
import { Informer } from './informer.ts';
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
 * whole objects without `managedFields`. Whoever asks first for a resource, or any later, starts its informer.
 */
export class SharedInformers {
  readonly #options: SharedInformersOptions;
  /** By resource. The type of the objects is known to whoever asks: a reference is believed to name it. */
  readonly #informers = new Map<string, Stoppable>();

  constructor(options: SharedInformersOptions) {
    this.#options = options;
  }

  /** The informer of a resource, in all namespaces or in the one of the reference. It is not started here. */
  informer<Kind extends KubeObject = KubeObject>(resource: ResourceReference<Kind>): Informer<Kind> {
    const known = this.known(resource);
    if (known !== undefined) return known;
    const { client, onError } = this.#options;
    const informer = new Informer<Kind>({
      client,
      resource,
      streamsInitialState: true,
      transform: withoutManagedFields,
      onError: (error) => onError?.(resource, error),
    });
    this.#informers.set(keyOf(resource), informer);
    return informer;
  }

  /** The informer of a resource, if somebody has asked for it: for those who need only a part of its objects, and would otherwise keep less. */
  known<Kind extends KubeObject = KubeObject>(resource: ResourceReference<Kind>): Informer<Kind> | undefined {
    return this.#informers.get(keyOf(resource)) as Informer<Kind> | undefined;
  }

  /** Stops all informers. */
  async stop(): Promise<void> {
    await Promise.all([...this.#informers.values()].map((informer) => informer.stop()));
  }
}

const keyOf = ({ group, version, resource, namespace = '' }: ResourceReference): string =>
  [group, version, resource, namespace].join('/');

/** The object itself, which nobody else has yet, without the facts that only server-side apply needs. */
function withoutManagedFields<Kind extends KubeObject>(object: Kind): Kind {
  delete object.metadata.managedFields;
  return object;
}
