import { containersOf, initContainersOf } from './pod-fields.ts';
import type { Container, PodSpec } from '@apichain/api/core/v1';
import { addTo, masked, raiseTo, readResourceList, sum, type ResourceList } from './resource-list.ts';

type Half = 'requests' | 'limits';
/** The requests or limits that are counted for a container; by default those of its spec. */
export type ContainerAmounts = (container: Container, half: Half) => ResourceList;

export const specifiedAmounts: ContainerAmounts = (container, half) => readResourceList(container.resources?.[half]);

const podLevel = new Set(['cpu', 'memory']);
const isPodLevel = (name: string) => podLevel.has(name) || name.startsWith('hugepages-');

/**
 * The total requests or limits of a pod: the sum over its containers and sidecars, or more where an init container needs more. Amounts that are
 * set for the pod as a whole replace the sum. Overhead is not included.
 * Source: PodRequests and PodLimits of k8s.io/component-helpers/resource.
 */
export function podAmounts(spec: PodSpec, half: Half, amountsOf: ContainerAmounts = specifiedAmounts): ResourceList {
  const total: ResourceList = new Map();
  for (const container of containersOf(spec)) addTo(total, amountsOf(container, half));
  const sidecars: ResourceList = new Map();
  const highest: ResourceList = new Map();
  for (const container of initContainersOf(spec)) {
    const amounts = amountsOf(container, half);
    if (container.restartPolicy === 'Always') {
      addTo(total, amounts);
      addTo(sidecars, amounts);
      // Only resources that this sidecar names can raise the maximum: for all others, the sum over the sidecars is unchanged.
      raiseTo(highest, masked(sidecars, amounts.keys()));
    } else {
      raiseTo(highest, sum(amounts, masked(sidecars, amounts.keys())));
    }
  }
  raiseTo(total, highest);
  for (const [name, amount] of readResourceList(spec.resources?.[half])) {
    if (isPodLevel(name)) total.set(name, amount);
  }
  return total;
}
