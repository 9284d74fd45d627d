import { field, isDNS1123Subdomain, isValidPathSegmentName, type FieldError, type KubeObject } from '@apichain/meta';
import { at, isSet, list, type Plain, record, records, text } from '@apichain/kinds';
import { semanticEqual } from '@apichain/meta';
import { goValue } from '../common/go-value.ts';
import { checkEach, collect, type Out, requiredName } from '../common/rules.ts';
import { hasBadSelectorValues, labelSelectorErrors, matchingForm } from '../common/selectors.ts';

const group = 'rbac.authorization.k8s.io';

function ruleErrors(out: Out, path: string, rule: Plain, namespaced: boolean): void {
  const urls = list(rule.nonResourceURLs);
  if (list(rule.verbs).length === 0) {
    out.push(field.required(`${path}.verbs`, 'verbs must contain at least one value'));
  }
  if (urls.length > 0) {
    const at = `${path}.nonResourceURLs`;
    if (namespaced) out.push(field.invalid(at, urls, 'namespaced rules cannot apply to non-resource URLs'));
    if (['apiGroups', 'resources', 'resourceNames'].some((name) => list(rule[name]).length > 0)) {
      const detail = 'rules cannot apply to both regular resources and non-resource URLs';
      out.push(field.invalid(at, urls, detail));
    }
    return;
  }
  if (list(rule.apiGroups).length === 0) {
    out.push(field.required(`${path}.apiGroups`, 'resource rules must supply at least one api group'));
  }
  if (list(rule.resources).length === 0) {
    out.push(field.required(`${path}.resources`, 'resource rules must supply at least one resource'));
  }
}

/** https://kubernetes.io/docs/reference/access-authn-authz/rbac/ */
export function validateRole(role: KubeObject): FieldError[] {
  return collect((out) => {
    checkEach(out, records(role.rules), (out, rule, i) => ruleErrors(out, `rules[${i}]`, rule, true));
  });
}

export function validateClusterRole(role: KubeObject, old?: KubeObject): FieldError[] {
  return collect((out) => {
    checkEach(out, records(role.rules), (out, rule, i) => ruleErrors(out, `rules[${i}]`, rule, false));
    if (!isSet(role.aggregationRule)) return;
    const path = 'aggregationRule.clusterRoleSelectors';
    const selectors = records(record(role.aggregationRule).clusterRoleSelectors);
    const anyValues = records(at(old?.aggregationRule, 'clusterRoleSelectors')).some(hasBadSelectorValues);
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

function subjectErrors(out: Out, path: string, subject: Plain, namespaced: boolean): void {
  const name = text(subject.name);
  const apiGroup = text(subject.apiGroup);
  if (name === '') out.push(field.required(`${path}.name`));
  switch (subject.kind) {
    case 'ServiceAccount':
      if (name !== '') {
        checkEach(out, isDNS1123Subdomain(name), (out, message) =>
          out.push(field.invalid(`${path}.name`, name, message)),
        );
      }
      if (apiGroup !== '') out.push(field.notSupported(`${path}.apiGroup`, apiGroup, ['']));
      if (!namespaced && text(subject.namespace) === '') out.push(field.required(`${path}.namespace`));
      break;
    case 'User':
    case 'Group':
      if (apiGroup !== group) out.push(field.notSupported(`${path}.apiGroup`, apiGroup, [group]));
      break;
    default:
      out.push(field.notSupported(`${path}.kind`, text(subject.kind), ['ServiceAccount', 'User', 'Group']));
  }
}

function bindingErrors(out: Out, binding: KubeObject, namespaced: boolean): void {
  const { apiGroup, kind, name } = record(binding.roleRef);
  const kinds = namespaced ? ['Role', 'ClusterRole'] : ['ClusterRole'];
  if (apiGroup !== group) out.push(field.notSupported('roleRef.apiGroup', text(apiGroup), [group]));
  if (!kinds.includes(text(kind))) out.push(field.notSupported('roleRef.kind', text(kind), kinds));
  requiredName(out, 'roleRef.name', name, isValidPathSegmentName);
  checkEach(out, records(binding.subjects), (out, subject, i) => {
    subjectErrors(out, `subjects[${i}]`, subject, namespaced);
  });
}

const binding = (namespaced: boolean) => ({
  create: (object: KubeObject): FieldError[] => collect((out) => bindingErrors(out, object, namespaced)),
  updateStartsWith: (object: KubeObject): FieldError[] => collect((out) => bindingErrors(out, object, namespaced)),
  update: (object: KubeObject, old: KubeObject): FieldError[] =>
    collect((out) => {
      if (semanticEqual(object.roleRef, old.roleRef)) return;
      const shown = goValue('rbac.authorization.k8s.io.v1.RoleRef', object.roleRef);
      out.push(field.invalid('roleRef', shown, 'cannot change roleRef'));
    }),
});

export const roleBindingValidation = binding(true);
export const clusterRoleBindingValidation = binding(false);
