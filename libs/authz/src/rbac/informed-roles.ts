import { Informer, type RestClient } from '@apichain/client';
import { type KubeObject, newNotFound } from '@apichain/meta';
import { bindingOf, rbacGroup, rulesOfRole } from './objects.ts';
import type { PolicyRule, RoleRef } from './policy-rule.ts';
import type { RoleBinding, RoleSource } from './role-source.ts';

/**
 * A local copy of the roles and bindings of the cluster, kept up to date by watches. Empty until `start`, so that nobody is
 * allowed anything before.
 */
export class InformedRoles implements RoleSource {
  readonly #rules = new Map<string, readonly PolicyRule[]>();
  readonly #clusterBindings = new Map<string, RoleBinding>();
  readonly #bindings = new Map<string, Map<string, RoleBinding>>();
  #informers: readonly Informer[] = [];

  /** Begins to follow the server that `client` reaches. Resolves when the first copy is complete. Stops with the signal. */
  async start(client: RestClient, signal: AbortSignal, onError: (error: unknown) => void): Promise<void> {
    const informer = (resource: string, put: (object: KubeObject) => void, drop: (object: KubeObject) => void) =>
      new Informer({
        client,
        resource: { group: rbacGroup, version: 'v1', resource },
        // The parsed form is what is kept; the informer itself only needs to tell objects apart.
        transform: (object) => {
          put(object);
          const { apiVersion, kind, metadata } = object;
          const { name, namespace, resourceVersion } = metadata;
          return {
            apiVersion,
            kind,
            metadata: { name, ...(namespace === undefined ? {} : { namespace }), resourceVersion },
          };
        },
        onError,
      })
        .addHandlers({ onDelete: drop })
        .start();
    this.#informers = [
      informer(
        'clusterroles',
        (role) => this.#putRole('', role),
        (role) => this.#dropRole('', role),
      ),
      informer(
        'roles',
        (role) => this.#putRole(namespaceOf(role), role),
        (role) => this.#dropRole(namespaceOf(role), role),
      ),
      informer(
        'clusterrolebindings',
        (binding) => this.#clusterBindings.set(nameOf(binding), bindingOf(binding)),
        (binding) => this.#clusterBindings.delete(nameOf(binding)),
      ),
      informer(
        'rolebindings',
        (binding) => this.#putBinding(bindingOf(binding)),
        (binding) => this.#bindings.get(namespaceOf(binding))?.delete(nameOf(binding)),
      ),
    ];
    signal.addEventListener('abort', () => {
      for (const running of this.#informers) void running.stop();
    });
    await Promise.all(this.#informers.map((running) => running.waitForSync()));
  }

  clusterRoleBindings(): readonly RoleBinding[] {
    return [...this.#clusterBindings.values()];
  }

  roleBindings(namespace: string): readonly RoleBinding[] {
    return [...(this.#bindings.get(namespace)?.values() ?? [])];
  }

  rulesOf({ kind, name }: RoleRef, namespace: string): readonly PolicyRule[] {
    const inCluster = kind === 'ClusterRole';
    const rules = this.#rules.get(roleKey(inCluster ? '' : namespace, name));
    if (rules !== undefined) return rules;
    throw newNotFound({ group: rbacGroup, resource: inCluster ? 'clusterrole' : 'role' }, name);
  }

  #putRole(namespace: string, role: KubeObject): void {
    this.#rules.set(roleKey(namespace, nameOf(role)), rulesOfRole(role));
  }

  #dropRole(namespace: string, role: KubeObject): void {
    this.#rules.delete(roleKey(namespace, nameOf(role)));
  }

  #putBinding(binding: RoleBinding): void {
    let known = this.#bindings.get(binding.namespace);
    if (known === undefined) this.#bindings.set(binding.namespace, (known = new Map<string, RoleBinding>()));
    known.set(binding.name, binding);
  }
}

const nameOf = (object: KubeObject): string => object.metadata.name ?? '';
const namespaceOf = (object: KubeObject): string => object.metadata.namespace ?? '';
const roleKey = (namespace: string, name: string): string => `${namespace}/${name}`;
