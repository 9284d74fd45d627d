import type {
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from '@apichain/api/admissionregistration/v1';
import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
} from '@apichain/api/admissionregistration/v1beta1';
import type { StorageVersion } from '@apichain/api/apiserverinternal/v1alpha1';
import type { StorageVersionMigration } from '@apichain/api/storagemigration/v1beta1';
import { isSet, printLabelSelector } from '@apichain/meta';
import { type Cell, conditionOf, countAt, integerAt, integerOr, limited, textAt, type CellTable } from './cells.ts';

const paramKind: Cell<ValidatingAdmissionPolicy | MutatingAdmissionPolicy> = (policy) => {
  const kind = policy.spec?.paramKind;
  return isSet(kind) ? `${kind.apiVersion ?? ''}/${kind.kind ?? ''}` : '<unset>';
};

const paramRef: Cell<ValidatingAdmissionPolicyBinding | MutatingAdmissionPolicyBinding> = (binding) => {
  const reference = binding.spec?.paramRef ?? {};
  if ((reference.name ?? '') !== '') return `${reference.namespace || '*'}/${reference.name ?? ''}`;
  return isSet(reference.selector) ? printLabelSelector(reference.selector) : '<unset>';
};

const lastTrue =
  (types: readonly string[], otherwise: string): Cell<StorageVersionMigration> =>
  (object) =>
    (object.status?.conditions ?? []).findLast((c) => c.status === 'True' && types.includes(c.type ?? ''))?.type ||
    otherwise;

const storageVersions: Cell<StorageVersion> = (object) => {
  const entries = (object.status?.storageVersions ?? []).map(
    (entry) => `${entry.apiServerID ?? ''}=${entry.encodingVersion ?? ''}`,
  );
  return entries.length === 0 ? '<unset>' : limited(entries, 3);
};

/** Kinds that configure the server itself, by `Kind` or `Kind.group` and column name. */
export const controlCells: CellTable = {
  'APIService.apiregistration.k8s.io': {
    Service: (object) =>
      isSet(object.spec?.service)
        ? `${object.spec?.service?.namespace ?? ''}/${object.spec?.service?.name ?? ''}`
        : 'Local',
    Available: (object) => {
      const available = conditionOf(object, 'Available');
      if (available === undefined) return 'Unknown';
      const reason = available.reason ?? '';
      return available.status === 'True' || reason === '' ? available.status : `${available.status ?? ''} (${reason})`;
    },
  },
  'MutatingWebhookConfiguration.admissionregistration.k8s.io': { Webhooks: countAt((object) => object.webhooks) },
  'ValidatingWebhookConfiguration.admissionregistration.k8s.io': { Webhooks: countAt((object) => object.webhooks) },
  'ValidatingAdmissionPolicy.admissionregistration.k8s.io': {
    Validations: countAt((object) => object.spec?.validations),
    ParamKind: paramKind,
  },
  'ValidatingAdmissionPolicyBinding.admissionregistration.k8s.io': { ParamRef: paramRef },
  'MutatingAdmissionPolicy.admissionregistration.k8s.io': {
    Mutations: countAt((object) => object.spec?.mutations),
    ParamKind: paramKind,
  },
  'MutatingAdmissionPolicyBinding.admissionregistration.k8s.io': { ParamRef: paramRef },
  'FlowSchema.flowcontrol.apiserver.k8s.io': {
    MatchingPrecedence: integerAt((object) => object.spec?.matchingPrecedence),
    DistinguisherMethod: textAt((object) => object.spec?.distinguisherMethod?.type, '<none>'),
    MissingPL: (schema) => conditionOf(schema, 'Dangling')?.status || '?',
  },
  'PriorityLevelConfiguration.flowcontrol.apiserver.k8s.io': {
    NominalConcurrencyShares: integerOr((object) => object.spec?.limited?.nominalConcurrencyShares, '<none>'),
    Queues: integerOr((object) => object.spec?.limited?.limitResponse?.queuing?.queues, '<none>'),
    HandSize: integerOr((object) => object.spec?.limited?.limitResponse?.queuing?.handSize, '<none>'),
    QueueLengthLimit: integerOr((object) => object.spec?.limited?.limitResponse?.queuing?.queueLengthLimit, '<none>'),
  },
  'StorageVersion.internal.apiserver.k8s.io': {
    CommonEncodingVersion: textAt((object) => object.status?.commonEncodingVersion, '<unset>'),
    StorageVersions: storageVersions,
  },
  'StorageVersionMigration.storagemigration.k8s.io': {
    Resource: (migration) => {
      const { group, resource } = migration.spec?.resource ?? {};
      return (group ?? '') === '' ? (resource ?? '') : `${resource ?? ''}.${group ?? ''}`;
    },
    Status: lastTrue(['Running', 'Failed', 'Succeeded'], 'Unknown'),
  },
};
