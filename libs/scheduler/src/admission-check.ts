import { isDemandedNode, isRepelled } from '@apichain/component-helpers';
import { type HostPort, portsConflict } from './cluster/host-ports.ts';
import type { NodeInfo } from './cluster/node-info.ts';
import type { PodInfo } from './cluster/pod-info.ts';
import type { Resources } from './cluster/resources.ts';
import { type Shortage, shortagesOf } from './cluster/shortages.ts';

export { NodeInfo } from './cluster/node-info.ts';
export { PodInfo } from './cluster/pod-info.ts';
export { amountOfResource } from './cluster/resources.ts';
export type { Shortage } from './cluster/shortages.ts';

/** Why a pod cannot be on a node: too little of a resource, or what a plugin of the scheduler says. */
export type AdmissionFailure = Shortage | { readonly plugin: string; readonly reason: string };

/**
 * All that keeps a pod from being on a node which it names already, in the order in which a kubelet looks: resources, node affinity, host ports,
 * and taints with the effect NoExecute. Extended resources that the node does not know are met by others. Source: pkg/kubelet/lifecycle/predicate.go.
 */
export function admissionFailures(pod: PodInfo, node: NodeInfo): AdmissionFailure[] {
  const failures: AdmissionFailure[] = shortagesOf(knownTo(node, pod.requests), node);
  if (!isDemandedNode(pod.pod, node.node))
    failures.push({ plugin: 'NodeAffinity', reason: "node(s) didn't match Pod's node affinity/selector" });
  if (takesUsedPort(pod.hostPorts, node))
    failures.push({ plugin: 'NodePorts', reason: "node(s) didn't have free ports for the requested pod ports" });
  if (isExpelled(pod, node))
    failures.push({ plugin: 'TaintToleration', reason: "node(s) had taints that the pod didn't tolerate" });
  return failures;
}

const isExtended = (name: string): boolean => name.includes('/') && !name.includes('kubernetes.io/');

function knownTo({ allocatable }: NodeInfo, requests: Resources): Resources {
  if (requests.scalars.size === 0) return requests;
  const scalars = [...requests.scalars].filter(([name]) => !isExtended(name) || allocatable.scalars.has(name));
  return { ...requests, scalars: new Map(scalars) };
}

const takesUsedPort = (ports: readonly HostPort[], { usedPorts }: NodeInfo): boolean =>
  ports.length > 0 && portsConflict(ports, usedPorts);

const isExpelled = ({ pod }: PodInfo, { node }: NodeInfo): boolean =>
  isRepelled(node.spec?.taints, pod.spec?.tolerations, ['NoExecute']);
