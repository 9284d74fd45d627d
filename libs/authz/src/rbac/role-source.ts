import type { PolicyRule, RoleRef, Subject } from './policy-rule.ts';

/** A RoleBinding or ClusterRoleBinding as the authorizer reads it. */
export interface RoleBinding {
  readonly name: string;
  /** Empty for a ClusterRoleBinding. */
  readonly namespace: string;
  readonly roleRef: RoleRef;
  readonly subjects: readonly Subject[];
}

/** Where roles and their bindings come from: a local copy, or the store. */
export interface RoleSource {
  clusterRoleBindings(): Promise<Iterable<RoleBinding>> | Iterable<RoleBinding>;
  roleBindings(namespace: string): Promise<Iterable<RoleBinding>> | Iterable<RoleBinding>;
  /** Rules of the role; `namespace` is that of the binding. Throws (or rejects with) NotFound when there is no such role. */
  rulesOf(ref: RoleRef, namespace: string): Promise<readonly PolicyRule[]> | readonly PolicyRule[];
}
