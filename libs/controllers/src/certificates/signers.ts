import type { RequestedCertificate } from '@apichain/serving/certificates';

/** Why a signer refuses to sign a request; undefined if it signs. */
type Rule = (requested: RequestedCertificate, usages: readonly string[]) => string | undefined;

export const kubeletClientSigner = 'kubernetes.io/kube-apiserver-client-kubelet';

/** Whether the usages are those that are given, with or without `key encipherment`, which only RSA keys need. */
function isExactly(usages: readonly string[], required: readonly string[]): boolean {
  const rest = new Set(usages);
  rest.delete('key encipherment');
  return rest.size === required.length && required.every((usage) => rest.has(usage));
}

const isInNodesGroup = ({ organizations }: RequestedCertificate): boolean =>
  organizations.length === 1 && organizations[0] === 'system:nodes';

const isNamedAsNode = ({ commonName }: RequestedCertificate): boolean => commonName.startsWith('system:node:');

const problems = {
  organization: 'subject organization is not system:nodes',
  commonName: 'subject common name does not begin with system:node:',
  noHosts: 'DNS or IP subjectAltName is required',
  dns: 'DNS subjectAltNames are not allowed',
  email: 'Email subjectAltNames are not allowed',
  ip: 'IP subjectAltNames are not allowed',
  uri: 'URI subjectAltNames are not allowed',
} as const;

const usagesProblem = (purpose: 'client auth' | 'server auth'): string =>
  `usages did not match [${['digital signature', 'key encipherment', purpose].toSorted().join(' ')}]`;

/** The rule for client certificates of kubelets. */
export const kubeletClientProblem: Rule = (requested, usages) => {
  const { dnsNames, emailAddresses, ipAddresses, uris } = requested;
  if (!isInNodesGroup(requested)) return problems.organization;
  if (dnsNames.length > 0) return problems.dns;
  if (emailAddresses.length > 0) return problems.email;
  if (ipAddresses.length > 0) return problems.ip;
  if (uris.length > 0) return problems.uri;
  if (!isNamedAsNode(requested)) return problems.commonName;
  return isExactly(usages, ['digital signature', 'client auth']) ? undefined : usagesProblem('client auth');
};

const kubeletServingProblem: Rule = (requested, usages) => {
  const { dnsNames, emailAddresses, ipAddresses, uris } = requested;
  if (!isInNodesGroup(requested)) return problems.organization;
  if (dnsNames.length + ipAddresses.length === 0) return problems.noHosts;
  if (emailAddresses.length > 0) return problems.email;
  if (uris.length > 0) return problems.uri;
  if (!isExactly(usages, ['digital signature', 'server auth'])) return usagesProblem('server auth');
  return isNamedAsNode(requested) ? undefined : problems.commonName;
};

const optionalForClients = ['digital signature', 'key encipherment'];

const apiServerClientProblem: Rule = (_requested, usages) => {
  const strange = usages.find((usage) => usage !== 'client auth' && !optionalForClients.includes(usage));
  if (strange !== undefined) return `invalid usage for client certificate: ${strange}`;
  return usages.includes('client auth') ? undefined : 'missing required usage for client certificate: client auth';
};

/**
 * The signers of kube-controller-manager with their rules.
 * https://kubernetes.io/docs/reference/access-authn-authz/certificate-signing-requests/#kubernetes-signers
 */
export const signers: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ['kubernetes.io/kube-apiserver-client', apiServerClientProblem],
  [kubeletClientSigner, kubeletClientProblem],
  ['kubernetes.io/kubelet-serving', kubeletServingProblem],
  ['kubernetes.io/legacy-unknown', () => undefined],
]);
