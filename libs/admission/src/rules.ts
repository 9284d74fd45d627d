import type { NamedRuleWithOperations } from '@apichain/api/admissionregistration/v1';
import type { GroupVersionResource } from '@apichain/meta';
import type { AdmissionAttributes, AdmissionOperation, VersionedResource } from './plugin.ts';

/** Which requests a webhook or policy applies to: RuleWithOperations of admissionregistration.k8s.io. */
export interface Rule {
  readonly operations: readonly string[];
  readonly apiGroups: readonly string[];
  readonly apiVersions: readonly string[];
  readonly resources: readonly string[];
  /** `*`, `Namespaced` or `Cluster`. */
  readonly scope: string;
  /** Only in rules of policies; empty = all. */
  readonly resourceNames: readonly string[];
}

export const rulesFrom = (value: readonly NamedRuleWithOperations[] | null | undefined): Rule[] =>
  (value ?? []).map((rule) => ({
    operations: rule.operations ?? [],
    apiGroups: rule.apiGroups ?? [],
    apiVersions: rule.apiVersions ?? [],
    resources: rule.resources ?? [],
    scope: rule.scope || '*',
    resourceNames: rule.resourceNames ?? [],
  }));

const covers = (listed: readonly string[], value: string): boolean => listed.includes('*') || listed.includes(value);

function coversResource(listed: readonly string[], resource: string, subresource: string): boolean {
  return listed.some((entry) => {
    const [name = '', sub = ''] = entry.split('/', 2);
    return (name === '*' || name === resource) && (sub === '*' || sub === subresource);
  });
}

function coversScope(scope: string, { resource, group }: GroupVersionResource, namespaced: boolean): boolean {
  if (scope === '*') return true;
  const inNamespace = namespaced && !(resource === 'namespaces' && group === '');
  return inNamespace === (scope === 'Namespaced');
}

/** The properties of a request that rules match, except object names. */
interface RuleSubject {
  readonly operation: AdmissionOperation;
  readonly resource: GroupVersionResource;
  readonly subresource: string;
  readonly namespaced: boolean;
}

/** After k8s.io/apiserver/pkg/admission/plugin/webhook/predicates/rules. */
const ruleCovers = (rule: Rule, { operation, resource, subresource, namespaced }: RuleSubject): boolean =>
  coversScope(rule.scope, resource, namespaced) &&
  covers(rule.operations, operation) &&
  covers(rule.apiGroups, resource.group) &&
  covers(rule.apiVersions, resource.version) &&
  coversResource(rule.resources, resource.resource, subresource);

const sameResource = (a: GroupVersionResource, b: GroupVersionResource): boolean =>
  a.group === b.group && a.version === b.version && a.resource === b.resource;

const nameAllowed = (rule: Rule, name: string | undefined): boolean =>
  rule.resourceNames.length === 0 || name === undefined || rule.resourceNames.includes(name);

/**
 * The version in which a webhook or policy with these rules receives a request: the request's version if a rule matches it, else (with
 * matchPolicy Equivalent) the first equivalent version that a rule matches. Undefined = no rule matches. `name` is compared with resourceNames;
 * with `name` undefined, resourceNames are ignored.
 */
export function matchedVersion(
  rules: readonly Rule[],
  subject: RuleSubject & VersionedResource,
  equivalents: readonly VersionedResource[] | undefined,
  name?: string,
): VersionedResource | undefined {
  const matches = (rule: Rule, resource: GroupVersionResource) =>
    nameAllowed(rule, name) && ruleCovers(rule, { ...subject, resource });
  if (rules.some((rule) => matches(rule, subject.resource))) return { resource: subject.resource, kind: subject.kind };
  for (const rule of rules)
    for (const other of equivalents ?? [])
      if (!sameResource(other.resource, subject.resource) && matches(rule, other.resource)) return other;
  return undefined;
}

const policyResources: ReadonlySet<string> = new Set([
  'validatingadmissionpolicies',
  'validatingadmissionpolicybindings',
  'mutatingadmissionpolicies',
  'mutatingadmissionpolicybindings',
]);
const webhookResources: ReadonlySet<string> = new Set([
  'validatingwebhookconfigurations',
  'mutatingwebhookconfigurations',
]);

const registrationGroup = 'admissionregistration.k8s.io';

/** Policies and their bindings are exempt from policies, so that a bad one can always be corrected. */
export const isExemptFromPolicies = ({ group, resource }: GroupVersionResource): boolean =>
  group === registrationGroup && policyResources.has(resource);

/** Webhook configurations are exempt from webhooks, too, but not from policies. */
export const isExemptFromWebhooks = ({ group, resource }: GroupVersionResource): boolean =>
  group === registrationGroup && (policyResources.has(resource) || webhookResources.has(resource));

/** The namespace of a request as webhooks receive it: for a Namespace object, its own name. */
export const requestNamespace = ({ resource, namespace, name }: AdmissionAttributes): string =>
  namespace === '' && resource.group === '' && resource.resource === 'namespaces' ? name : namespace;

/** Requests with the same key are matched by the same rules, except for object names. */
export function coverageKey(attributes: AdmissionAttributes): string {
  const { operation, resource, subresource } = attributes;
  const scope = requestNamespace(attributes) === '' ? 'Cluster' : 'Namespaced';
  return `${operation} ${resource.group}/${resource.version}/${resource.resource}/${subresource} ${scope}`;
}

export const subjectOf = (attributes: AdmissionAttributes): RuleSubject & VersionedResource => ({
  operation: attributes.operation,
  resource: attributes.resource,
  kind: attributes.kind,
  subresource: attributes.subresource,
  namespaced: requestNamespace(attributes) !== '',
});
