import type { RegistryStore } from '@apichain/apiserver';
import {
  bindingOf,
  type PolicyRule,
  type RoleBinding,
  type RoleRef,
  type RoleSource,
  rulesOfRole,
} from '@apichain/authz';
import { newNotFound } from '@apichain/meta';
import { KeyNotFoundError } from '@apichain/storage';

export type RoleStores = (plural: 'roles' | 'clusterroles' | 'rolebindings' | 'clusterrolebindings') => RegistryStore;

/** Roles and bindings as they are in the store this moment. */
export class StoredRoles implements RoleSource {
  readonly #stores: RoleStores;

  constructor(stores: RoleStores) {
    this.#stores = stores;
  }

  clusterRoleBindings(): Promise<RoleBinding[]> {
    return this.#bindings('clusterrolebindings', '');
  }

  roleBindings(namespace: string): Promise<RoleBinding[]> {
    return this.#bindings('rolebindings', namespace);
  }

  /** Rejects with NotFound. */
  async rulesOf({ kind, name }: RoleRef, namespace: string): Promise<readonly PolicyRule[]> {
    const { storage, layout, resource } = this.#stores(kind === 'ClusterRole' ? 'clusterroles' : 'roles');
    const path = kind === 'ClusterRole' ? name : `${namespace}/${name}`;
    try {
      return rulesOfRole((await storage.get(`${layout.prefix}/${path}`, { resourceVersion: '' })).parse());
    } catch (error) {
      if (error instanceof KeyNotFoundError) throw newNotFound(resource, name);
      throw error;
    }
  }

  async #bindings(plural: 'rolebindings' | 'clusterrolebindings', namespace: string): Promise<RoleBinding[]> {
    const { storage, layout } = this.#stores(plural);
    const directory = namespace === '' ? `${layout.prefix}/` : `${layout.prefix}/${namespace}/`;
    const { items } = await storage.list(directory, {
      resourceVersion: '',
      limit: 0,
      continue: '',
      predicate: { everything: true, matches: () => true, exactFields: {} },
    });
    return items.map((item) => bindingOf(item.parse()));
  }
}
