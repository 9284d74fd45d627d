import type { ClusterRole, PolicyRule, Role, RoleBinding, Subject } from '@apichain/api/rbac/v1';
import { field, isDNS1123Subdomain, isValidPathSegmentName, type FieldError } from '@apichain/meta';
import { isSet } from '@apichain/kinds';
import { semanticEqual } from '@apichain/meta';
import { goValue } from '../common/go-value.ts';
import { checkEach, collect, type Out, requiredName } from '../common/rules.ts';
import { hasBadSelectorValues, labelSelectorErrors, matchingForm } from '../common/selectors.ts';

const group = 'rbac.authorization.k8s.io';

function ruleErrors(out: Out, path: string, rule: PolicyRule, namespaced: boolean): void {
  const urls = rule.nonResourceURLs ?? [];
  if ((rule.verbs ?? []).length === 0) {
    out.push(field.required(`${path}.verbs`, 'verbs must contain at least one value'));
  }
  if (urls.length > 0) {
    const at = `${path}.nonResourceURLs`;
    if (namespaced) out.push(field.invalid(at, urls, 'namespaced rules cannot apply to non-resource URLs'));
    if ((['apiGroups', 'resources', 'resourceNames'] as const).some((name) => (rule[name] ?? []).length > 0)) {
      const detail = 'rules cannot apply to both regular resources and non-resource URLs';
      out.push(field.invalid(at, urls, detail));
    }
    return;
  }
  if ((rule.apiGroups ?? []).length === 0) {
    out.push(field.required(`${path}.apiGroups`, 'resource rules must supply at least one api group'));
  }
  if ((rule.resources ?? []).length === 0) {
    out.push(field.required(`${path}.resources`, 'resource rules must supply at least one resource'));
  }
}

/** https://kubernetes.io/docs/reference/access-authn-authz/rbac/ */
export function validateRole(role: Role): FieldError[] {
  return collect((out) => {
    checkEach(out, role.rules ?? [], (out, rule, i) => ruleErrors(out, `rules[${i}]`, rule, true));
  });
}

export function validateClusterRole(role: ClusterRole, old?: ClusterRole): FieldError[] {
  return collect((out) => {
    checkEach(out, role.rules ?? [], (out, rule, i) => ruleErrors(out, `rules[${i}]`, rule, false));
    if (!isSet(role.aggregationRule)) return;
    const path = 'aggregationRule.clusterRoleSelectors';
    const selectors = role.aggregationRule?.clusterRoleSelectors ?? [];
    const anyValues = (old?.aggregationRule?.clusterRoleSelectors ?? []).some(hasBadSelectorValues);
    if (selectors.length === 0) {
      const detail = 'at least one clusterRoleSelector required if aggregationRule is non-nil';
      out.push(field.required(path, detail));
    }
    checkEach(out, selectors, (out, selector, i) => {
      labelSelectorErrors(out, `${path}[${i}]`, selector, anyValues);
      if (matchingForm(selector) === undefined) {
        out.push(field.invalid(`${path}[${i}]`, null, 'invalid label selector.'));
      }
    });
  });
}

function subjectErrors(out: Out, path: string, subject: Subject, namespaced: boolean): void {
  const name = subject.name ?? '';
  const apiGroup = subject.apiGroup ?? '';
  if (name === '') out.push(field.required(`${path}.name`));
  switch (subject.kind) {
    case 'ServiceAccount':
      if (name !== '') {
        checkEach(out, isDNS1123Subdomain(name), (out, message) =>
          out.push(field.invalid(`${path}.name`, name, message)),
        );
      }
      if (apiGroup !== '') out.push(field.notSupported(`${path}.apiGroup`, apiGroup, ['']));
      if (!namespaced && (subject.namespace ?? '') === '') out.push(field.required(`${path}.namespace`));
      break;
    case 'User':
    case 'Group':
      if (apiGroup !== group) out.push(field.notSupported(`${path}.apiGroup`, apiGroup, [group]));
      break;
    default:
      out.push(field.notSupported(`${path}.kind`, subject.kind ?? '', ['ServiceAccount', 'User', 'Group']));
  }
}

function bindingErrors(out: Out, binding: RoleBinding, namespaced: boolean): void {
  const { apiGroup, kind, name } = binding.roleRef ?? {};
  const kinds = namespaced ? ['Role', 'ClusterRole'] : ['ClusterRole'];
  if (apiGroup !== group) out.push(field.notSupported('roleRef.apiGroup', apiGroup ?? '', [group]));
  if (!kinds.includes(kind ?? '')) out.push(field.notSupported('roleRef.kind', kind ?? '', kinds));
  requiredName(out, 'roleRef.name', name, isValidPathSegmentName);
  checkEach(out, binding.subjects ?? [], (out, subject, i) => {
    subjectErrors(out, `subjects[${i}]`, subject, namespaced);
  });
}

export const validateRoleBinding = (binding: RoleBinding): FieldError[] =>
  collect((out) => bindingErrors(out, binding, true));

export const validateClusterRoleBinding = (binding: RoleBinding): FieldError[] =>
  collect((out) => bindingErrors(out, binding, false));

/** The roleRef of a binding, of either kind, is immutable. */
export function validateRoleRefUpdate({ roleRef }: RoleBinding, old: RoleBinding): FieldError[] {
  if (semanticEqual(roleRef, old.roleRef)) return [];
  const shown = goValue('rbac.authorization.k8s.io.v1.RoleRef', roleRef);
  return [field.invalid('roleRef', shown, 'cannot change roleRef')];
}
