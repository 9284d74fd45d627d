import { isPositiveQuantity, sumQuantities, compareQuantityText } from './quantities.ts';
import type { PodSpec, ResourceList, ResourceRequirements } from '@apichain/api/core/v1';

type Totals = Map<string, string>;

function addPositive(totals: Totals, resources: ResourceList | undefined): Set<string> {
  const seen = new Set<string>();
  for (const [name, quantity] of Object.entries(resources ?? {})) {
    if ((name !== 'cpu' && name !== 'memory') || !isPositiveQuantity(quantity)) continue;
    seen.add(name);
    const before = totals.get(name);
    totals.set(name, before === undefined ? quantity : sumQuantities(before, quantity));
  }
  return seen;
}

/**
 * The QoS class of a pod: from the pod-level resources when there are any, otherwise from all its containers.
 * https://kubernetes.io/docs/concepts/workloads/pods/pod-qos/
 */
export function podQosClass(spec: PodSpec): 'BestEffort' | 'Burstable' | 'Guaranteed' {
  const holders: readonly { readonly resources?: ResourceRequirements }[] =
    spec.resources === undefined ? [...(spec.containers ?? []), ...(spec.initContainers ?? [])] : [spec];
  const requests: Totals = new Map();
  const limits: Totals = new Map();
  let everyHolderLimited = true;
  for (const holder of holders) {
    const resources = holder.resources ?? {};
    addPositive(requests, resources.requests);
    const limited = addPositive(limits, resources.limits);
    if (!limited.has('cpu') || !limited.has('memory')) everyHolderLimited = false;
  }
  if (requests.size === 0 && limits.size === 0) return 'BestEffort';
  const sameTotals =
    requests.size === limits.size &&
    [...requests].every(([name, value]) => compareQuantityText(value, limits.get(name) ?? '0') === 0);
  return everyHolderLimited && sameTotals ? 'Guaranteed' : 'Burstable';
}
