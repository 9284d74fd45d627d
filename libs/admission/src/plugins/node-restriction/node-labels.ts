import { deepEqual } from '@apichain/meta';

type Labels = Readonly<Record<string, string>>;

/** Kubernetes labels that a kubelet may set on its own node. */
const kubeletLabels: ReadonlySet<string> = new Set([
  'kubernetes.io/hostname',
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
  'beta.kubernetes.io/instance-type',
  'node.kubernetes.io/instance-type',
  'kubernetes.io/os',
  'kubernetes.io/arch',
  'beta.kubernetes.io/os',
  'beta.kubernetes.io/arch',
]);
const kubeletDomains = ['kubelet.kubernetes.io', 'node.kubernetes.io'];

const domainOf = (label: string) => (label.includes('/') ? (label.split('/')[0] ?? '') : '');
const isWithin = (domain: string, parent: string) => domain === parent || domain.endsWith(`.${parent}`);

function isForbidden(label: string): boolean {
  const domain = domainOf(label);
  if (isWithin(domain, 'node-restriction.kubernetes.io')) return true;
  if (!isWithin(domain, 'kubernetes.io') && !isWithin(domain, 'k8s.io')) return false;
  return !kubeletLabels.has(label) && !kubeletDomains.some((allowed) => isWithin(domain, allowed));
}

/** The changed labels that a node may not modify, sorted. */
export function forbiddenLabelChanges(labels: Labels = {}, old: Labels = {}): string[] {
  const names = new Set([...Object.keys(labels), ...Object.keys(old)]);
  return [...names].filter((name) => !deepEqual(labels[name], old[name]) && isForbidden(name)).toSorted();
}
