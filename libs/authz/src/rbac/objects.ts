import { records, text, texts, type KubeObject } from '@apichain/meta';
import type { PolicyRule, Subject } from './policy-rule.ts';
import type { RoleBinding } from './role-source.ts';

/** The API group of Roles and bindings. */
export const rbacGroup = 'rbac.authorization.k8s.io';

/** The rules of a Role or ClusterRole. Rules that follow each other share the lists that are equal, so that many rules take less memory. */
export function rulesOfRole(role: KubeObject): PolicyRule[] {
  let last = noRule;
  return records(role['rules']).map((rule) => {
    const listOf = (name: keyof PolicyRule): readonly string[] => {
      const list = texts(rule[name]);
      const before = last[name];
      return list.length === before.length && list.every((value, i) => value === before[i]) ? before : list;
    };
    last = {
      verbs: listOf('verbs'),
      apiGroups: listOf('apiGroups'),
      resources: listOf('resources'),
      resourceNames: listOf('resourceNames'),
      nonResourceURLs: listOf('nonResourceURLs'),
    };
    return last;
  });
}

const none: readonly string[] = [];
const noRule: Required<PolicyRule> = {
  verbs: none,
  apiGroups: none,
  resources: none,
  resourceNames: none,
  nonResourceURLs: none,
};

/** The parts of a RoleBinding or ClusterRoleBinding that authorization needs. */
export function bindingOf(object: KubeObject): RoleBinding<readonly Subject[]> {
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
