import type { PolicyRule, RoleRef, Subject } from './policy-rule.ts';
import type { SubjectIndex } from './subject-index.ts';

/** A RoleBinding or ClusterRoleBinding, reduced to what the authorizer reads. */
export interface RoleBinding<Subjects = readonly Subject[] | SubjectIndex> {
  readonly name: string;
  /** Empty for a ClusterRoleBinding. */
  readonly namespace: string;
  readonly roleRef: RoleRef;
  readonly subjects: Subjects;
}

/** A binding that is read when it is needed. */
export interface LateBinding {
  get(): RoleBinding | Promise<RoleBinding>;
}

/** Bindings, of which the large ones are read when they are needed. */
export type RoleBindings = Iterable<RoleBinding | LateBinding>;

/** The source of roles and their bindings: a local copy, or the store. */
export interface RoleSource {
  clusterRoleBindings(): Promise<RoleBindings> | RoleBindings;
  roleBindings(namespace: string): Promise<RoleBindings> | RoleBindings;
  /** The rules of a role; `namespace` is that of the binding. Throws (or rejects with) NotFound when the role does not exist. */
  rulesOf(ref: RoleRef, namespace: string): Promise<readonly PolicyRule[]> | readonly PolicyRule[];
}
