import type { PolicyRule, RoleRef, Subject } from './policy-rule.ts';

/** A RoleBinding or ClusterRoleBinding, reduced to what the authorizer reads. */
export interface RoleBinding {
  readonly name: string;
  /** Empty for a ClusterRoleBinding. */
  readonly namespace: string;
  readonly roleRef: RoleRef;
  readonly subjects: readonly Subject[];
}

/** The source of roles and their bindings: a local copy, or the store. */
export interface RoleSource {
  clusterRoleBindings(): Promise<Iterable<RoleBinding>> | Iterable<RoleBinding>;
  roleBindings(namespace: string): Promise<Iterable<RoleBinding>> | Iterable<RoleBinding>;
  /** The rules of a role; `namespace` is that of the binding. Throws (or rejects with) NotFound when the role does not exist. */
  rulesOf(ref: RoleRef, namespace: string): Promise<readonly PolicyRule[]> | readonly PolicyRule[];
}
