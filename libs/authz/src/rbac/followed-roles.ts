import { newNotFound } from '@apichain/meta';
import type { ObjectChanges, StoredObject } from '@apichain/storage';
import { FollowedCopy } from '../followed-copy.ts';
import { isLarge, LargeBinding, LargeRoles, withIndex } from './large-objects.ts';
import { bindingOf, rbacGroup, rulesOfRole } from './objects.ts';
import type { PolicyRule, RoleRef } from './policy-rule.ts';
import type { RoleBinding, RoleBindings, RoleSource } from './role-source.ts';

/** The roles and bindings of the cluster, kept up to date from etcd. Empty until started, so that no user is allowed anything before. */
export class FollowedRoles implements RoleSource {
  readonly copy: FollowedCopy;
  readonly #clusterRoles = new Map<string, FollowedRole>();
  /** By namespace/name. */
  readonly #roles = new Map<string, FollowedRole>();
  readonly #largeRoles = new LargeRoles();
  readonly #clusterBindings = new Map<string, RoleBinding | LargeBinding>();
  readonly #bindings = new Map<string, Map<string, RoleBinding | LargeBinding>>();

  constructor() {
    const followed = (resource: string, onChange: (changes: ObjectChanges) => void) => ({
      resource: { group: rbacGroup, resource },
      onChange,
    });
    this.copy = new FollowedCopy([
      followed('clusterroles', (changes) => takeRoles(this.#clusterRoles, changes, nameOf)),
      followed('roles', (changes) => takeRoles(this.#roles, changes, namespacedNameOf)),
      followed('clusterrolebindings', ({ put, dropped }) => {
        for (const item of put) this.#clusterBindings.set(nameOf(item), followedBinding(item));
        for (const name of dropped) this.#clusterBindings.delete(name);
      }),
      followed('rolebindings', (changes) => this.#takeBindings(changes)),
    ]);
  }

  clusterRoleBindings(): RoleBindings {
    return this.#clusterBindings.values();
  }

  roleBindings(namespace: string): RoleBindings {
    return this.#bindings.get(namespace)?.values() ?? [];
  }

  rulesOf({ kind, name }: RoleRef, namespace: string): readonly PolicyRule[] | Promise<readonly PolicyRule[]> {
    const inCluster = kind === 'ClusterRole';
    const role = inCluster ? this.#clusterRoles.get(name) : this.#roles.get(`${namespace}/${name}`);
    if (role !== undefined) return 'json' in role ? this.#largeRoles.rulesOf(role) : role;
    throw newNotFound({ group: rbacGroup, resource: inCluster ? 'clusterrole' : 'role' }, name);
  }

  #takeBindings({ put, dropped }: ObjectChanges): void {
    for (const item of put) {
      const [namespace = '', name = ''] = namespacedNameOf(item).split('/');
      let known = this.#bindings.get(namespace);
      if (known === undefined) this.#bindings.set(namespace, (known = new Map<string, RoleBinding | LargeBinding>()));
      known.set(name, followedBinding(item));
    }
    for (const key of dropped) {
      const [namespace = '', name = ''] = key.split('/');
      const known = this.#bindings.get(namespace);
      known?.delete(name);
      if (known?.size === 0) this.#bindings.delete(namespace);
    }
  }
}

/** The rules of a role, or the object of a large one. */
type FollowedRole = readonly PolicyRule[] | StoredObject;

const followedBinding = (item: StoredObject): RoleBinding | LargeBinding =>
  isLarge(item) ? new LargeBinding(item) : withIndex(bindingOf(item.parse()));

function takeRoles(
  roles: Map<string, FollowedRole>,
  { put, dropped }: ObjectChanges,
  keyOf: (item: StoredObject) => string,
): void {
  for (const item of put) roles.set(keyOf(item), isLarge(item) ? item : rulesOfRole(item.parse()));
  for (const key of dropped) roles.delete(key);
}

// Names are those of the key: the attributes of a large object would have to be read.
const nameOf = ({ key }: StoredObject): string => key.slice(key.lastIndexOf('/') + 1);
/** namespace/name */
const namespacedNameOf = ({ key }: StoredObject): string => key.split('/').slice(-2).join('/');
