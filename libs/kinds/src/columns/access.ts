import type { KubeObject } from '@apichain/meta';
import { at, integer, isSet, records, text } from '../fields.ts';
import { type Cell, type Cells, labelsAt, textAt } from './cells.ts';
import { humanDuration } from './duration.ts';

function subjectNames(kind: string): Cell {
  return (binding) =>
    records(binding.subjects)
      .filter((subject) => subject.kind === kind)
      .map((s) => (kind === 'ServiceAccount' ? `${text(s.namespace)}/${text(s.name)}` : text(s.name)))
      .join(', ');
}

const bindingCells: Cells = {
  Role: (binding) => `${text(at(binding.roleRef, 'kind'))}/${text(at(binding.roleRef, 'name'))}`,
  Users: subjectNames('User'),
  Groups: subjectNames('Group'),
  ServiceAccounts: subjectNames('ServiceAccount'),
};

function csrCondition(csr: KubeObject): string {
  const types = new Set(records(at(csr.status, 'conditions')).map((c) => c.type));
  const state = types.has('Denied') ? 'Denied' : types.has('Approved') ? 'Approved' : 'Pending';
  const failed = types.has('Failed') ? ',Failed' : '';
  return `${state}${failed}${text(at(csr.status, 'certificate')) === '' ? '' : ',Issued'}`;
}

/** Who may do what, and certificates. By `Kind` or `Kind.group` and column name. */
export const accessCells: Readonly<Record<string, Cells>> = {
  'RoleBinding.rbac.authorization.k8s.io': bindingCells,
  'ClusterRoleBinding.rbac.authorization.k8s.io': bindingCells,
  'CertificateSigningRequest.certificates.k8s.io': {
    SignerName: textAt('spec.signerName', '<none>'),
    RequestedDuration: (csr) => {
      const seconds = at(csr.spec, 'expirationSeconds');
      return isSet(seconds) ? humanDuration(integer(seconds) * 1000) : '<none>';
    },
    Condition: csrCondition,
  },
  'ClusterTrustBundle.certificates.k8s.io': { SignerName: textAt('spec.signerName', '<none>') },
  'PodCertificateRequest.certificates.k8s.io': {
    State: (request) => {
      const known = ['Issued', 'Denied', 'Failed'];
      const types = records(at(request.status, 'conditions')).map((c) => text(c.type));
      return types.findLast((type) => known.includes(type)) ?? 'Pending';
    },
    UnverifiedUserAnnotations: labelsAt('spec.unverifiedUserAnnotations'),
  },
};
