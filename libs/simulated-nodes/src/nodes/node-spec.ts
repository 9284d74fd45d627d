import type { Node, Taint } from '@apichain/api/core/v1';
import { isDNS1123Subdomain, parseQuantity } from '@apichain/meta';
import { parseCidr } from '@apichain/go-text';
import { prefix } from '../pods/annotations.ts';

/** The label of nodes that are simulated. A Node that a user creates with it becomes one. */
export const simulatedLabel = `${prefix}simulated`;

/** A node to simulate. What is absent has a default. */
export interface NodeSpec {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly taints?: readonly Taint[];
  /** Quantities by resource, such as `{ cpu: '4' }`. Defaults: 8 CPUs, 32Gi of memory, 100Gi of ephemeral storage, 110 pods. */
  readonly capacity?: Readonly<Record<string, string>>;
  /** What pods may use. Default: the capacity. */
  readonly allocatable?: Readonly<Record<string, string>>;
  /** The range of the addresses of its pods, with 256 addresses. */
  readonly podCIDR?: string;
}

/** The capacity of a node that says nothing about it. */
export const defaultCapacity: Readonly<Record<string, string>> = {
  cpu: '8',
  'ephemeral-storage': '100Gi',
  'hugepages-1Gi': '0',
  'hugepages-2Mi': '0',
  memory: '32Gi',
  pods: '110',
};

/** `node-1`, `node-2` and so on. */
export const numberedNodes = (count: number): NodeSpec[] =>
  Array.from({ length: count }, (_, index) => ({ name: `node-${index + 1}` }));

/** The Node that a kubelet registers, without its status. `index` is the place of the node among all. Throws Error that says what is impossible. */
export function nodeObject(spec: NodeSpec, index: number): Node {
  const { name, labels = {}, annotations = {}, taints = [], podCIDR = podCidrAt(index) } = spec;
  if (!isValidName(name)) throw new Error(`name: ${JSON.stringify(name)} is not the name of a node`);
  const range = parseCidr(podCIDR);
  if (range === undefined || !/^\d+\.\d+\.\d+\.0\/24$/.test(podCIDR))
    throw new Error(`podCIDR: ${JSON.stringify(podCIDR)} must be a range of 256 addresses such as 10.244.0.0/24`);
  const { capacity, allocatable } = resourcesOf(spec);
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        'beta.kubernetes.io/arch': architecture,
        'beta.kubernetes.io/os': 'linux',
        'kubernetes.io/arch': architecture,
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        ...labels,
        [simulatedLabel]: 'true',
      },
      annotations: { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true', ...annotations },
    },
    spec: { podCIDR, podCIDRs: [podCIDR], ...(taints.length === 0 ? {} : { taints: [...taints] }) },
    status: { capacity, allocatable },
  };
}

const isValidName = (name: unknown): boolean => typeof name === 'string' && isDNS1123Subdomain(name).length === 0;

/** Each node has 256 addresses, beginning with 10.244.0.0. */
function podCidrAt(index: number): string {
  const second = 244 + (index >> 8);
  return `10.${second > 255 ? (second % 256) + 1 : second}.${index & 255}.0/24`;
}

function resourcesOf({ capacity = {}, allocatable = {} }: NodeSpec) {
  const all: Record<string, string> = { ...defaultCapacity, ...capacity };
  const usable: Record<string, string> = { ...all, ...allocatable };
  for (const [name, text] of Object.entries(all)) amountOf(text, `capacity.${name}`);
  for (const [name, text] of Object.entries(usable)) {
    const amount = amountOf(text, `allocatable.${name}`);
    const most = all[name];
    if (most === undefined || amount.compare(parseQuantity(most)) > 0)
      throw new Error(`allocatable.${name}: ${text} is more than the capacity, ${most ?? '0'}`);
  }
  return { capacity: all, allocatable: usable };
}

function amountOf(text: unknown, path: string) {
  let amount;
  try {
    amount = parseQuantity(String(text));
  } catch {
    throw new Error(`${path}: ${JSON.stringify(text)} is not a quantity such as 4 or 16Gi`);
  }
  if (amount.sign < 0) throw new Error(`${path}: ${String(text)} is negative`);
  return amount;
}
