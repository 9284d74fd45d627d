import type {
  ExemptPriorityLevelConfiguration,
  FlowSchema,
  GroupSubject,
  LimitedPriorityLevelConfiguration,
  LimitResponse,
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  PriorityLevelConfiguration,
  QueuingConfiguration,
  ResourcePolicyRule,
  ServiceAccountSubject,
  Subject,
  UserSubject,
} from '@apichain/api/flowcontrol/v1';
import { field, isDNS1123Label, isDNS1123Subdomain, type FieldError, lookupTable } from '@apichain/meta';
import { isSet } from '@apichain/kinds';
import { goValue } from '../common/go-value.ts';
import {
  checkEach,
  collect,
  invalidEach,
  type Out,
  requiredName,
  requiredText,
  strictChoice,
} from '../common/rules.ts';
import { mandatoryLevelErrors, mandatorySchemaErrors } from './mandatory-flow-control.ts';

/** In the order in which the fields of other kinds are rejected. */
const kindFields = lookupTable<'serviceAccount' | 'user' | 'group'>({
  ServiceAccount: 'serviceAccount',
  User: 'user',
  Group: 'group',
});

function subjectErrors(out: Out, path: string, subject: Subject): void {
  const kind = subject.kind ?? '';
  strictChoice(out, `${path}.kind`, kind, ['Group', 'ServiceAccount', 'User']);
  const own = kindFields[kind];
  if (own === undefined) return;
  const at = `${path}.${own}`;
  if (!isSet(subject[own])) out.push(field.required(at, `${own} is required when subject kind is '${kind}'`));
  else if (own === 'serviceAccount') serviceAccountErrors(out, at, subject.serviceAccount ?? {});
  else namedSubjectErrors(out, at, subject[own] ?? {});
  checkEach(out, Object.entries(kindFields), (out, [name, member]) => {
    if (name === kind || !isSet(subject[member])) return;
    out.push(field.forbidden(`${path}.${member}`, `${member} is forbidden when subject kind is not '${name}'`));
  });
}

/** Checks a subject that is a user or a group. */
const namedSubjectErrors = (out: Out, path: string, subject: UserSubject | GroupSubject): void =>
  requiredText(out, `${path}.name`, subject.name);

function serviceAccountErrors(out: Out, path: string, { name = '', namespace = '' }: ServiceAccountSubject): void {
  if (name === '') out.push(field.required(`${path}.name`));
  else if (name !== '*') invalidEach(out, `${path}.name`, name, isDNS1123Subdomain(name));
  if (namespace === '') out.push(field.required(`${path}.namespace`, 'must specify namespace for service account'));
  else invalidEach(out, `${path}.namespace`, namespace, isDNS1123Label(namespace));
}

function listErrors(out: Out, path: string, values: readonly string[], missing: string, others: string): void {
  if (values.length === 0) out.push(field.required(path, missing));
  if (values.length > 1 && values.includes('*')) {
    out.push(field.invalid(path, values, `if '*' is present, must not specify other ${others}`));
  }
}

const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch'];

function verbErrors(out: Out, path: string, given: readonly string[]): void {
  const before = out.length;
  listErrors(out, path, given, 'verbs must contain at least one value', 'verbs');
  if (out.length === before && given.some((verb) => verb !== '*' && !verbs.includes(verb))) {
    out.push(field.notSupported(path, given, verbs));
  }
}

function urlErrors(out: Out, path: string, url: string): void {
  const invalid = (detail: string) => out.push(field.invalid(path, url, detail));
  if (url === '') invalid('must not be empty');
  else if (url !== '/') {
    if (!url.startsWith('/')) invalid('must start with slash');
    else if (url.includes(' ')) invalid('must not contain white-space');
    else if (url.includes('//')) invalid('must not contain double slash');
    else if (/\*./.test(url) || (url.includes('*') && !url.endsWith('/*'))) {
      invalid('wildcard can only do suffix matching');
    }
  }
}

function nonResourceErrors(out: Out, path: string, rule: NonResourcePolicyRule): void {
  verbErrors(out, `${path}.verbs`, rule.verbs ?? []);
  const urls = rule.nonResourceURLs ?? [];
  const at = `${path}.nonResourceURLs`;
  listErrors(out, at, urls, 'nonResourceURLs must contain at least one value', 'non-resource URLs');
  if (urls.includes('*')) return;
  checkEach(out, urls, (out, url, k) => urlErrors(out, `${at}[${k}]`, url));
}

function resourceErrors(out: Out, path: string, rule: ResourcePolicyRule): void {
  verbErrors(out, `${path}.verbs`, rule.verbs ?? []);
  const groupsMissing = 'resource rules must supply at least one api group';
  const resourcesMissing = 'resource rules must supply at least one resource';
  listErrors(out, `${path}.apiGroups`, rule.apiGroups ?? [], groupsMissing, 'api groups');
  listErrors(out, `${path}.resources`, rule.resources ?? [], resourcesMissing, 'resources');
  const namespaces = rule.namespaces ?? [];
  const at = `${path}.namespaces`;
  if (namespaces.length === 0 && rule.clusterScope !== true) {
    const detail = 'resource rules that are not cluster scoped must supply at least one namespace';
    out.push(field.required(at, detail));
  }
  if (namespaces.includes('*')) {
    if (namespaces.length > 1) {
      out.push(field.invalid(at, namespaces, "if '*' is present, must not specify other namespaces"));
    }
    return;
  }
  checkEach(out, namespaces, (out, namespace, k) => {
    checkEach(out, isDNS1123Label(namespace), (out, message) => {
      const detail = `each member of this list must be '*' or a DNS-1123 label; ${message}`;
      out.push(field.invalid(`${at}[${k}]`, namespace, detail));
    });
  });
}

function ruleErrors(out: Out, path: string, rule: PolicyRulesWithSubjects): void {
  const subjects = rule.subjects ?? [];
  if (subjects.length === 0) out.push(field.required(`${path}.subjects`, 'subjects must contain at least one value'));
  checkEach(out, subjects, (out, subject, j) => subjectErrors(out, `${path}.subjects[${j}]`, subject));
  const resources = rule.resourceRules ?? [];
  const urls = rule.nonResourceRules ?? [];
  if (resources.length === 0 && urls.length === 0) {
    out.push(field.required(path, 'at least one of resourceRules and nonResourceRules has to be non-empty'));
  }
  checkEach(out, resources, (out, entry, j) => resourceErrors(out, `${path}.resourceRules[${j}]`, entry));
  checkEach(out, urls, (out, entry, j) => nonResourceErrors(out, `${path}.nonResourceRules[${j}]`, entry));
}

const highestPrecedence = 10000;

/** https://kubernetes.io/docs/concepts/cluster-administration/flow-control/ */
export function validateFlowSchema(schema: FlowSchema): FieldError[] {
  return collect((out) => {
    const spec = schema.spec ?? {};
    const precedence = spec.matchingPrecedence ?? 0;
    const path = 'spec.matchingPrecedence';
    if (precedence <= 0) out.push(field.invalid(path, precedence, 'must be a positive value'));
    if (precedence > highestPrecedence) {
      out.push(field.invalid(path, precedence, `must not be greater than ${highestPrecedence}`));
    }
    if (precedence === 1 && schema.metadata.name !== 'exempt') {
      const detail = "only the schema named 'exempt' may have matchingPrecedence 1";
      out.push(field.invalid(path, precedence, detail));
    }
    const method = spec.distinguisherMethod;
    if (isSet(method) && !['ByNamespace', 'ByUser'].includes(method.type ?? '')) {
      const shown = goValue('flowcontrol.apiserver.k8s.io.v1.FlowDistinguisherMethod', method);
      out.push(field.notSupported('spec.distinguisherMethod.type', shown, ['ByNamespace', 'ByUser']));
    }
    const level = spec.priorityLevelConfiguration?.name ?? '';
    const levelPath = 'spec.priorityLevelConfiguration.name';
    if (level === '') out.push(field.required(levelPath, 'must reference a priority level'));
    else invalidEach(out, levelPath, level, isDNS1123Subdomain(level));
    checkEach(out, spec.rules ?? [], (out, rule, i) => ruleErrors(out, `spec.rules[${i}]`, rule));
    mandatorySchemaErrors(out, schema);
  });
}

/** The settings of a priority level, of either type. */
type Settings = ExemptPriorityLevelConfiguration | LimitedPriorityLevelConfiguration;

function shareErrors(out: Out, path: string, settings: Settings): void {
  const shares = settings.nominalConcurrencyShares ?? 0;
  if (shares < 0) {
    out.push(field.invalid(`${path}.nominalConcurrencyShares`, shares, 'must be a non-negative integer'));
  }
}

function lendableErrors(out: Out, path: string, settings: Settings): void {
  const lendable = settings.lendablePercent ?? 0;
  if (isSet(settings.lendablePercent) && (lendable < 0 || lendable > 100)) {
    out.push(field.invalid(`${path}.lendablePercent`, lendable, 'must be between 0 and 100, inclusive'));
  }
}

const mostQueues = 10_000_000;
const mostBits = 60;

/** The entropy of shuffle sharding with this hand size and number of queues, in bits, rounded up. */
function entropyBits(queues: number, handSize: number): number {
  let bits = 0;
  for (let i = 0; i < handSize; i++) bits += Math.log2(queues - i);
  return Math.ceil(bits);
}

function queuingErrors(out: Out, path: string, queuing: QueuingConfiguration): void {
  const { queues = 0, handSize = 0, queueLengthLimit = 0 } = queuing;
  const positive = 'must be positive';
  if (queueLengthLimit <= 0) out.push(field.invalid(`${path}.queueLengthLimit`, queueLengthLimit, positive));
  if (queues <= 0) out.push(field.invalid(`${path}.queues`, queues, positive));
  else if (queues > mostQueues) {
    out.push(field.invalid(`${path}.queues`, queues, `must not be greater than ${mostQueues}`));
  }
  const at = `${path}.handSize`;
  if (handSize <= 0) out.push(field.invalid(at, handSize, positive));
  else if (handSize > queues) {
    out.push(field.invalid(at, handSize, `should not be greater than queues (${queues})`));
  } else if (entropyBits(queues, handSize) > mostBits) {
    const detail = `required entropy bits of deckSize ${queues} and handSize ${handSize} should not be greater than ${mostBits}`;
    out.push(field.invalid(at, handSize, detail));
  }
}

function responseErrors(out: Out, path: string, response: LimitResponse): void {
  const type = response.type ?? '';
  const at = `${path}.queuing`;
  if (type === 'Reject') {
    if (isSet(response.queuing)) {
      out.push(field.forbidden(at, 'must be nil if limited.limitResponse.type is not Limited'));
    }
  } else if (type === 'Queue') {
    if (!isSet(response.queuing)) {
      out.push(field.required(at, 'must not be empty if limited.limitResponse.type is Limited'));
    } else queuingErrors(out, at, response.queuing);
  } else out.push(field.notSupported(`${path}.type`, type, ['Queue', 'Reject']));
}

function limitedErrors(out: Out, path: string, limited: LimitedPriorityLevelConfiguration): void {
  shareErrors(out, path, limited);
  responseErrors(out, `${path}.limitResponse`, limited.limitResponse ?? {});
  lendableErrors(out, path, limited);
  const borrowing = limited.borrowingLimitPercent;
  if (isSet(borrowing) && borrowing < 0) {
    const detail = 'if specified, must be a non-negative integer';
    out.push(field.invalid(`${path}.borrowingLimitPercent`, borrowing, detail));
  }
}

const zeroShares = 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares';

export function validatePriorityLevel(level: PriorityLevelConfiguration): FieldError[] {
  return collect((out) => {
    const spec = level.spec ?? {};
    const type = spec.type ?? '';
    if (level.metadata.annotations?.[zeroShares] !== undefined) {
      out.push(field.forbidden('metadata.annotations', `annotation '${zeroShares}' is forbidden`));
    }
    if ((level.metadata.name === 'exempt') !== (type === 'Exempt')) {
      out.push(field.invalid('spec.type', type, "must be 'Exempt' if and only if `name` is 'exempt'"));
    }
    if (type === 'Exempt') {
      if (isSet(spec.limited)) out.push(field.forbidden('spec.limited', 'must be nil if the type is not Limited'));
      if (isSet(spec.exempt)) {
        shareErrors(out, 'spec.exempt', spec.exempt);
        lendableErrors(out, 'spec.exempt', spec.exempt);
      }
    } else if (type === 'Limited') {
      if (isSet(spec.exempt)) out.push(field.forbidden('spec.exempt', 'must be nil if the type is Limited'));
      if (!isSet(spec.limited)) out.push(field.required('spec.limited', 'must not be empty when type is Limited'));
      else limitedErrors(out, 'spec.limited', spec.limited);
    } else out.push(field.notSupported('spec.type', type, ['Exempt', 'Limited']));
    mandatoryLevelErrors(out, level);
  });
}

/** Checks the conditions of flow schemas and priority levels. */
export function validateFlowControlStatus(object: FlowSchema | PriorityLevelConfiguration): FieldError[] {
  return collect((out) => {
    const seen = new Set<string>();
    checkEach(out, object.status?.conditions ?? [], (out, condition, i) => {
      const path = `status.conditions[${i}].type`;
      const type = condition.type ?? '';
      if (seen.has(type)) out.push(field.duplicate(path, type));
      seen.add(type);
      requiredName(out, path, type, () => []);
    });
  });
}
