import { field, nameIsDNSSubdomain, type FieldError } from '@apichain/meta';
import { auditLevels, auditStages } from '@apichain/request';
import type { AuditPolicy, GroupResources, PolicyRule } from './policy.ts';

/** The problems of a policy. Source: k8s.io/apiserver/pkg/apis/audit/validation. */
export function validatePolicy(policy: AuditPolicy): FieldError[] {
  return [
    ...omitStagesErrors(policy.omitStages, 'omitStages'),
    ...policy.rules.flatMap((rule, i) => ruleErrors(rule, field.index('rules', i))),
  ];
}

function ruleErrors(rule: PolicyRule, path: string): FieldError[] {
  const { nonResourceURLs = [], resources = [], namespaces = [] } = rule;
  const urlPath = field.child(path, 'nonResourceURLs');
  const errors = [
    ...levelErrors(rule.level, field.child(path, 'level')),
    ...urlErrors(nonResourceURLs, urlPath),
    ...resources.flatMap((group) => resourcesErrors(group, field.child(path, 'resources'))),
    ...omitStagesErrors(rule.omitStages, field.child(path, 'omitStages')),
  ];
  if (nonResourceURLs.length > 0 && (resources.length > 0 || namespaces.length > 0))
    errors.push(
      field.invalid(urlPath, nonResourceURLs, 'rules cannot apply to both regular resources and non-resource URLs'),
    );
  return errors;
}

function levelErrors(level: string | undefined, path: string): FieldError[] {
  if (level === undefined || level === '') return [field.required(path)];
  return auditLevels.some((known) => known === level) ? [] : [field.notSupported(path, level, auditLevels)];
}

function urlErrors(urls: readonly string[], path: string): FieldError[] {
  return urls.flatMap((url, i) => {
    if (url === '*') return [];
    const at = field.index(path, i);
    const errors: FieldError[] = [];
    if (!url.startsWith('/'))
      errors.push(field.invalid(at, url, "non-resource URL rules must begin with a '/' character"));
    if (url.slice(0, -1).includes('*'))
      errors.push(field.invalid(at, url, "non-resource URL wildcards '*' must be the final character of the rule"));
    return errors;
  });
}

function resourcesErrors({ group = '', resources = [], resourceNames = [] }: GroupResources, path: string) {
  const errors: FieldError[] = [];
  const problems = group === '' || group === '*' ? [] : nameIsDNSSubdomain(group, false);
  if (problems.length > 0) errors.push(field.invalid(field.child(path, 'group'), group, problems.join(',')));
  if (resourceNames.length > 0 && resources.length === 0)
    errors.push(
      field.invalid(
        field.child(path, 'resourceNames'),
        resourceNames,
        'using resourceNames requires at least one resource',
      ),
    );
  return errors;
}

function omitStagesErrors(stages: readonly string[] = [], path: string): FieldError[] {
  return stages.flatMap((stage, i) =>
    auditStages.some((known) => known === stage)
      ? []
      : [field.invalid(field.index(path, i), stage, `allowed stages are ${auditStages.join(',')}`)],
  );
}
