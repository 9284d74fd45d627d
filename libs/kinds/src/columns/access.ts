import type { CertificateSigningRequest } from '@apichain/api/certificates/v1';
import type { ClusterRoleBinding, RoleBinding } from '@apichain/api/rbac/v1';
import { isSet } from '@apichain/meta';
import { type Cell, type Cells, labelsAt, textAt, type CellTable } from './cells.ts';
import { humanDuration } from '@apichain/go-text';

type Binding = RoleBinding | ClusterRoleBinding;

function subjectNames(kind: string): Cell<Binding> {
  return (binding) =>
    (binding.subjects ?? [])
      .filter((subject) => subject.kind === kind)
      .map((s) => (kind === 'ServiceAccount' ? `${s.namespace ?? ''}/${s.name ?? ''}` : (s.name ?? '')))
      .join(', ');
}

const bindingCells: Cells<Binding> = {
  Role: (binding) => `${binding.roleRef?.kind ?? ''}/${binding.roleRef?.name ?? ''}`,
  Users: subjectNames('User'),
  Groups: subjectNames('Group'),
  ServiceAccounts: subjectNames('ServiceAccount'),
};

function csrCondition(csr: CertificateSigningRequest): string {
  const types = new Set((csr.status?.conditions ?? []).map((c) => c.type));
  const state = types.has('Denied') ? 'Denied' : types.has('Approved') ? 'Approved' : 'Pending';
  const failed = types.has('Failed') ? ',Failed' : '';
  return `${state}${failed}${(csr.status?.certificate ?? '') === '' ? '' : ',Issued'}`;
}

/** Permissions and certificates, by `Kind` or `Kind.group` and column name. */
export const accessCells: CellTable = {
  'RoleBinding.rbac.authorization.k8s.io': bindingCells,
  'ClusterRoleBinding.rbac.authorization.k8s.io': bindingCells,
  'CertificateSigningRequest.certificates.k8s.io': {
    SignerName: textAt((object) => object.spec?.signerName, '<none>'),
    RequestedDuration: (csr) => {
      const seconds = csr.spec?.expirationSeconds;
      return isSet(seconds) ? humanDuration(seconds * 1000) : '<none>';
    },
    Condition: csrCondition,
  },
  'ClusterTrustBundle.certificates.k8s.io': { SignerName: textAt((object) => object.spec?.signerName, '<none>') },
  'PodCertificateRequest.certificates.k8s.io': {
    State: (request) => {
      const known = ['Issued', 'Denied', 'Failed'];
      const types = (request.status?.conditions ?? []).map((c) => c.type ?? '');
      return types.findLast((type) => known.includes(type)) ?? 'Pending';
    },
    UnverifiedUserAnnotations: labelsAt((object) => object.spec?.unverifiedUserAnnotations),
  },
};
