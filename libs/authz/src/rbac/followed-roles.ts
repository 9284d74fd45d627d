import { newNotFound, type GroupResource } from '@apichain/meta';
import { KeyNotFoundError, type ObjectChanges, type StoredObject } from '@apichain/storage';
import { FollowedCopy } from '../followed-copy.ts';
import { isLarge, LargeBinding, largeRole, LargeRoles, withIndex, type LargeRole } from './large-objects.ts';
import { bindingOf, rbacGroup, rulesOfRole } from './objects.ts';
import type { PolicyRule, RoleRef } from './policy-rule.ts';
import type { RoleBinding, RoleBindings, RoleSource } from './role-source.ts';

const rbac = (resource: string): GroupResource => ({ group: rbacGroup, resource });
const clusterRoles = rbac('clusterroles');
const roles = rbac('roles');
const clusterRoleBindings = rbac('clusterrolebindings');
const roleBindings = rbac('rolebindings');

/** The roles and bindings of the cluster, kept up to date from etcd. Empty until started, so that no user is allowed anything before. */
export class FollowedRoles implements RoleSource {
  readonly copy: FollowedCopy;
  readonly #clusterRoles = new Map<string, FollowedRole>();
  /** By namespace/name. */
  readonly #roles = new Map<string, FollowedRole>();
  readonly #largeClusterRoles = new LargeRoles((role) => this.copy.get(clusterRoles, role));
  readonly #largeRoles = new LargeRoles((role) => this.copy.get(roles, role));
  readonly #clusterBindings = new Map<string, RoleBinding | LargeBinding>();
  readonly #bindings = new Map<string, Map<string, RoleBinding | LargeBinding>>();

  constructor() {
    this.copy = new FollowedCopy([
      { resource: clusterRoles, onChange: (changes) => takeRoles(this.#clusterRoles, changes, nameOf) },
      { resource: roles, onChange: (changes) => takeRoles(this.#roles, changes, namespacedNameOf) },
      {
        resource: clusterRoleBindings,
        onChange: ({ put, dropped }) => {
          for (const item of put) this.#clusterBindings.set(nameOf(item), followedBinding(item));
          for (const name of dropped) this.#clusterBindings.delete(name);
        },
      },
      { resource: roleBindings, onChange: (changes) => this.#takeBindings(changes) },
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
    const notFound = () => newNotFound({ group: rbacGroup, resource: inCluster ? 'clusterrole' : 'role' }, name);
    const role = inCluster ? this.#clusterRoles.get(name) : this.#roles.get(`${namespace}/${name}`);
    if (role === undefined) throw notFound();
    if (!('bytes' in role)) return role;
    const rules = (inCluster ? this.#largeClusterRoles : this.#largeRoles).rulesOf(role);
    if (!(rules instanceof Promise)) return rules;
    return rules.catch((error: unknown) => {
      throw error instanceof KeyNotFoundError ? notFound() : error;
    });
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

/** The rules of a role, or where a large one is. */
type FollowedRole = readonly PolicyRule[] | LargeRole;

const followedBinding = (item: StoredObject): RoleBinding | LargeBinding =>
  isLarge(item) ? new LargeBinding(item) : withIndex(bindingOf(item.parse()));

function takeRoles(
  known: Map<string, FollowedRole>,
  { put, dropped }: ObjectChanges,
  keyOf: (item: StoredObject) => string,
): void {
  for (const item of put) known.set(keyOf(item), isLarge(item) ? largeRole(item) : rulesOfRole(item.parse()));
  for (const key of dropped) known.delete(key);
}

// Names are those of the key: the attributes of a large object would have to be read.
const nameOf = ({ key }: StoredObject): string => key.slice(key.lastIndexOf('/') + 1);
/** namespace/name */
const namespacedNameOf = ({ key }: StoredObject): string => key.split('/').slice(-2).join('/');
