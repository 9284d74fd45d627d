import { BoundedCache, newForbidden, newNotFound, StatusError, type KubeObject, oncePerObject } from '@apichain/meta';
import { forbidden } from './forbidden.ts';
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from './plugin.ts';
import { lookedUp, type ObjectLookup } from './object-lookup.ts';

export interface NamespaceState {
  readonly terminating: boolean;
}
/** Reads namespaces for the plugin. */
export interface NamespaceLookup {
  /** From a watch cache, which may be stale. Undefined = the cache has no such namespace. */
  cached(name: string): NamespaceState | undefined | Promise<NamespaceState | undefined>;
  /** From the store; undefined = there is no such namespace. */
  live(name: string): Promise<NamespaceState | undefined>;
}

/** The state of a namespace object for the plugin: terminating as soon as its phase is Terminating. */
export function namespaceState(namespace: KubeObject): NamespaceState {
  const { status } = namespace;
  const phase = typeof status === 'object' && status !== null && 'phase' in status ? status.phase : undefined;
  return { terminating: phase === 'Terminating' };
}

const immortalNamespaces: ReadonlySet<string> = new Set(['default', 'kube-system', 'kube-public']);
/** How long a namespace that was deleted through this server is read from the store, in milliseconds. */
const forceLiveLookup = 30_000;
const maxForced = { maxEntries: 10_000 };

/** Access reviews are answered even for namespaces that do not exist. */
const isAccessReview = ({ resource }: AdmissionAttributes) =>
  resource.group === 'authorization.k8s.io' && resource.resource === 'localsubjectaccessreviews';
const isNamespace = ({ kind }: AdmissionAttributes) => kind.group === '' && kind.kind === 'Namespace';

/**
 * NamespaceLifecycle: objects are created only in namespaces that exist and are not terminating; the system namespaces cannot be deleted.
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#namespacelifecycle
 */
export class NamespaceLifecycle implements AdmissionPlugin {
  readonly name = 'NamespaceLifecycle';
  readonly handles: ReadonlySet<AdmissionOperation> = new Set(['CREATE', 'UPDATE', 'DELETE']);
  readonly #namespaces: NamespaceLookup;
  /** Namespaces that were deleted recently, with the time until which the cache is not used for them. */
  readonly #forced = new BoundedCache<number>(maxForced);

  constructor(namespaces: NamespaceLookup) {
    this.#namespaces = namespaces;
  }

  async admit(attributes: AdmissionAttributes): Promise<void> {
    if (isNamespace(attributes)) {
      this.#admitNamespace(attributes);
      return;
    }
    // Only creates need the namespace; updates and deletes work without it.
    if (attributes.namespace === '' || attributes.operation !== 'CREATE' || isAccessReview(attributes)) return;
    const state = await this.#stateOf(attributes.namespace);
    if (state === undefined) throw newNotFound({ group: '', resource: 'namespaces' }, attributes.namespace);
    if (state.terminating) throw terminating(attributes);
  }

  #admitNamespace({ operation, name, subresource }: AdmissionAttributes): void {
    if (operation !== 'DELETE' || subresource !== '') return;
    if (immortalNamespaces.has(name)) {
      throw newForbidden({ group: '', resource: 'namespaces' }, name, 'this namespace may not be deleted');
    }
    this.#forced.set(name, performance.now() + forceLiveLookup);
  }

  async #stateOf(name: string): Promise<NamespaceState | undefined> {
    if (this.#mustAskStore(name)) return this.#namespaces.live(name);
    // A namespace that was just created may not be in the cache yet. The store has it already, so there is nothing to wait for.
    return (await this.#namespaces.cached(name)) ?? this.#namespaces.live(name);
  }

  #mustAskStore(name: string): boolean {
    const until = this.#forced.get(name);
    if (until === undefined) return false;
    if (until > performance.now()) return true;
    this.#forced.delete(name);
    return false;
  }
}

function terminating(attributes: AdmissionAttributes): StatusError {
  const { namespace } = attributes;
  const { status } = forbidden(
    attributes,
    `unable to create new content in namespace ${namespace} because it is being terminated`,
  );
  const causes = [
    {
      reason: 'NamespaceTerminating',
      message: `namespace ${namespace} is being terminated`,
      field: 'metadata.namespace',
    },
  ];
  return new StatusError({ ...status, details: { ...status.details, causes } });
}

const stateOf = oncePerObject(namespaceState);

/** A NamespaceLookup that reads namespaces through the ObjectLookup of the plugins. */
export function lookupNamespaces(lookup: ObjectLookup): NamespaceLookup {
  const state = async (from: 'get' | 'live', name: string) => {
    const namespace = await lookup[from](lookedUp.namespaces, '', name);
    return namespace === undefined ? undefined : stateOf(namespace);
  };
  return { cached: (name) => state('get', name), live: (name) => state('live', name) };
}
