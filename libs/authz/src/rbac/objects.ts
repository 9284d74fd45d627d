import { records, text, texts, type KubeObject } from '@apichain/meta';
import type { PolicyRule, Subject } from './policy-rule.ts';
import type { RoleBinding } from './role-source.ts';

/** The API group of Roles and bindings. */
export const rbacGroup = 'rbac.authorization.k8s.io';

/** The rules of a Role or ClusterRole. */
export const rulesOfRole = (role: KubeObject): PolicyRule[] =>
  records(role['rules']).map((rule) => ({
    verbs: texts(rule['verbs']),
    apiGroups: texts(rule['apiGroups']),
    resources: texts(rule['resources']),
    resourceNames: texts(rule['resourceNames']),
    nonResourceURLs: texts(rule['nonResourceURLs']),
  }));

/** The parts of a RoleBinding or ClusterRoleBinding that authorization needs. */
export function bindingOf(object: KubeObject): RoleBinding {
  const [ref = {}] = records([object['roleRef']]);
  const subjects = records(object['subjects']).map((subject): Subject => ({
    kind: text(subject['kind']),
    name: text(subject['name']),
    namespace: text(subject['namespace']),
    apiGroup: text(subject['apiGroup']),
  }));
  return {
    name: object.metadata.name ?? '',
    namespace: object.metadata.namespace ?? '',
    roleRef: { apiGroup: text(ref['apiGroup']), kind: text(ref['kind']), name: text(ref['name']) },
    subjects,
  };
}
