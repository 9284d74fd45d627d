import { at, isSet, type Plain, record, records, text, textMap, texts } from '../fields.ts';
import { type Cell, type Cells, conditionOf, countAt, integerAt, integerOr, limited, textAt } from './cells.ts';

const paramKind: Cell = (policy) => {
  const kind = at(policy.spec, 'paramKind');
  return isSet(kind) ? `${text(record(kind).apiVersion)}/${text(record(kind).kind)}` : '<unset>';
};

/** A LabelSelector as Go prints the struct: what the printer of bindings shows. */
function selectorDump(selector: Plain): string {
  const labels = Object.entries(textMap(selector.matchLabels))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}: ${value},`);
  const expressions = records(selector.matchExpressions).map(
    ({ key, operator, values }) =>
      `LabelSelectorRequirement{Key:${text(key)},Operator:${text(operator)},Values:[${texts(values).join(' ')}],},`,
  );
  return `&LabelSelector{MatchLabels:map[string]string{${labels.join('')}},MatchExpressions:[]LabelSelectorRequirement{${expressions.join('')}},}`;
}

const paramRef: Cell = (binding) => {
  const reference = record(at(binding.spec, 'paramRef'));
  if (text(reference.name) !== '') return `${text(reference.namespace) || '*'}/${text(reference.name)}`;
  return isSet(reference.selector) ? selectorDump(record(reference.selector)) : '<unset>';
};

const lastTrue =
  (types: readonly string[], otherwise: string): Cell =>
  (object) =>
    text(
      records(at(object.status, 'conditions')).findLast((c) => c.status === 'True' && types.includes(text(c.type)))
        ?.type,
    ) || otherwise;

const storageVersions: Cell = (object) => {
  const entries = records(at(object.status, 'storageVersions')).map(
    (entry: Plain) => `${text(entry.apiServerID)}=${text(entry.encodingVersion)}`,
  );
  return entries.length === 0 ? '<unset>' : limited(entries, 3);
};

/** What steers the server itself. By `Kind` or `Kind.group` and column name. */
export const controlCells: Readonly<Record<string, Cells>> = {
  'APIService.apiregistration.k8s.io': {
    Service: (object) =>
      isSet(at(object.spec, 'service'))
        ? `${text(at(object.spec, 'service', 'namespace'))}/${text(at(object.spec, 'service', 'name'))}`
        : 'Local',
    Available: (object) => {
      const available = conditionOf(object, 'Available');
      if (available === undefined) return 'Unknown';
      const reason = text(available.reason);
      return available.status === 'True' || reason === '' ? available.status : `${text(available.status)} (${reason})`;
    },
  },
  'MutatingWebhookConfiguration.admissionregistration.k8s.io': { Webhooks: countAt('webhooks') },
  'ValidatingWebhookConfiguration.admissionregistration.k8s.io': { Webhooks: countAt('webhooks') },
  'ValidatingAdmissionPolicy.admissionregistration.k8s.io': {
    Validations: countAt('spec.validations'),
    ParamKind: paramKind,
  },
  'ValidatingAdmissionPolicyBinding.admissionregistration.k8s.io': { ParamRef: paramRef },
  'MutatingAdmissionPolicy.admissionregistration.k8s.io': {
    Mutations: countAt('spec.mutations'),
    ParamKind: paramKind,
  },
  'MutatingAdmissionPolicyBinding.admissionregistration.k8s.io': { ParamRef: paramRef },
  'FlowSchema.flowcontrol.apiserver.k8s.io': {
    MatchingPrecedence: integerAt('spec.matchingPrecedence'),
    DistinguisherMethod: textAt('spec.distinguisherMethod.type', '<none>'),
    MissingPL: (schema) => text(conditionOf(schema, 'Dangling')?.status) || '?',
  },
  'PriorityLevelConfiguration.flowcontrol.apiserver.k8s.io': {
    NominalConcurrencyShares: integerOr('spec.limited.nominalConcurrencyShares', '<none>'),
    Queues: integerOr('spec.limited.limitResponse.queuing.queues', '<none>'),
    HandSize: integerOr('spec.limited.limitResponse.queuing.handSize', '<none>'),
    QueueLengthLimit: integerOr('spec.limited.limitResponse.queuing.queueLengthLimit', '<none>'),
  },
  'StorageVersion.internal.apiserver.k8s.io': {
    CommonEncodingVersion: textAt('status.commonEncodingVersion', '<unset>'),
    StorageVersions: storageVersions,
  },
  'StorageVersionMigration.storagemigration.k8s.io': {
    Resource: (migration) => {
      const { group, resource } = record(at(migration.spec, 'resource'));
      return text(group) === '' ? text(resource) : `${text(resource)}.${text(group)}`;
    },
    Status: lastTrue(['Running', 'Failed', 'Succeeded'], 'Unknown'),
  },
};
