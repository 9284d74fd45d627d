import type { RegistryStore } from '@apichain/apiserver';
import {
  bindingOf,
  isLarge,
  LargeBinding,
  type PolicyRule,
  type RoleBinding,
  type RoleBindings,
  type RoleRef,
  type RoleSource,
  rulesOfRole,
} from '@apichain/authz';
import { goQuote } from '@apichain/go-text';
import { newNotFound, newUnknownError } from '@apichain/meta';
import { KeyNotFoundError, listEverything, readStored, type StoredObject } from '@apichain/storage';

type RoleStores = (plural: 'roles' | 'clusterroles' | 'rolebindings' | 'clusterrolebindings') => RegistryStore;

/** Reads roles and bindings from the store. */
export class StoredRoles implements RoleSource {
  readonly #stores: RoleStores;

  constructor(stores: RoleStores) {
    this.#stores = stores;
  }

  clusterRoleBindings(): Promise<RoleBindings> {
    return this.#bindings('clusterrolebindings', '');
  }

  roleBindings(namespace: string): Promise<RoleBindings> {
    return this.#bindings('rolebindings', namespace);
  }

  /** Rejects with NotFound, with BadRequest for an invalid role name, and with an error without a reason for an unsupported kind. */
  async rulesOf({ kind, name }: RoleRef, namespace: string): Promise<readonly PolicyRule[]> {
    if (kind !== 'Role' && kind !== 'ClusterRole') {
      throw newUnknownError(`unsupported role reference kind: ${goQuote(kind)}`);
    }
    const store = this.#stores(kind === 'ClusterRole' ? 'clusterroles' : 'roles');
    const key = store.key({ requestInfo: { namespace } }, name);
    try {
      return rulesOfRole(await readStored(await store.storage.get(key, { resourceVersion: '' })));
    } catch (error) {
      if (error instanceof KeyNotFoundError) throw newNotFound(store.resource, name);
      throw error;
    }
  }

  async #bindings(plural: 'rolebindings' | 'clusterrolebindings', namespace: string): Promise<RoleBindings> {
    const { storage, layout } = this.#stores(plural);
    const directory = namespace === '' ? `${layout.prefix}/` : `${layout.prefix}/${namespace}/`;
    const { items } = await storage.list(directory, listEverything);
    return bindingsOf(items);
  }
}

/** Made one after the other: a large binding that has been read must not stay in memory while the next ones are. */
function* bindingsOf(items: readonly StoredObject[]): Generator<RoleBinding | LargeBinding, void, undefined> {
  for (const item of items) yield isLarge(item) ? new LargeBinding(item) : bindingOf(item.parse());
}
