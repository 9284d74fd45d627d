import { setTimeout as delay } from 'node:timers/promises';
import { newForbidden, newNotFound, StatusError, type KubeObject } from '@apichain/meta';
import { forbidden } from './forbidden.ts';
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from './plugin.ts';

export interface NamespaceState {
  readonly terminating: boolean;
}
/** Where the plugin learns about namespaces. */
export interface NamespaceLookup {
  /** From a watch cache; may be behind. Undefined = not seen. */
  cached(name: string): NamespaceState | undefined | Promise<NamespaceState | undefined>;
  /** From the store; undefined = there is none. */
  live(name: string): Promise<NamespaceState | undefined>;
}

/** A namespace object as the plugin sees it: on its way out from the moment its phase says so. */
export function namespaceState(namespace: KubeObject): NamespaceState {
  const { status } = namespace;
  const phase = typeof status === 'object' && status !== null && 'phase' in status ? status.phase : undefined;
  return { terminating: phase === 'Terminating' };
}

const immortalNamespaces: ReadonlySet<string> = new Set(['default', 'kube-system', 'kube-public']);
/** How long a create waits for the cache to hear of a namespace before it asks the store. */
const missingNamespaceWait = 50;
/** How long a namespace that was deleted through this server is looked up live, milliseconds. */
const forceLiveLookup = 30_000;
const maxForced = 10_000;

/** Access reviews are answered for namespaces that do not exist. */
const isAccessReview = ({ resource }: AdmissionAttributes) =>
  resource.group === 'authorization.k8s.io' && resource.resource === 'localsubjectaccessreviews';
const isNamespace = ({ kind }: AdmissionAttributes) => kind.group === '' && kind.kind === 'Namespace';

/**
 * NamespaceLifecycle: content needs a namespace that exists and is not on its way out; the system's namespaces stay.
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#namespacelifecycle
 */
export class NamespaceLifecycle implements AdmissionPlugin {
  readonly name = 'NamespaceLifecycle';
  readonly handles: ReadonlySet<AdmissionOperation> = new Set(['CREATE', 'UPDATE', 'DELETE']);
  readonly #namespaces: NamespaceLookup;
  /** Namespaces deleted a moment ago, and until when the cache is not trusted about them. */
  readonly #forced = new Map<string, number>();

  constructor(namespaces: NamespaceLookup) {
    this.#namespaces = namespaces;
  }

  async admit(attributes: AdmissionAttributes): Promise<void> {
    if (isNamespace(attributes)) {
      this.#admitNamespace(attributes);
      return;
    }
    // Only new content depends on its namespace.
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
    if (this.#forced.size >= maxForced) this.#forced.clear();
    this.#forced.set(name, Date.now() + forceLiveLookup);
  }

  async #stateOf(name: string): Promise<NamespaceState | undefined> {
    if (this.#mustAskStore(name)) return this.#namespaces.live(name);
    let cached = await this.#namespaces.cached(name);
    if (cached !== undefined) return cached;
    await delay(missingNamespaceWait);
    cached = await this.#namespaces.cached(name);
    return cached ?? this.#namespaces.live(name);
  }

  #mustAskStore(name: string): boolean {
    const until = this.#forced.get(name);
    if (until === undefined) return false;
    if (until > Date.now()) return true;
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
