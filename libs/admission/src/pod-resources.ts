import { containersOf, initContainersOf } from './pod-fields.ts';
import type { Container, PodSpec } from '@apichain/api/core/v1';
import { addTo, masked, raiseTo, readResourceList, sum, type ResourceList } from './resource-list.ts';

type Half = 'requests' | 'limits';
/** What a container counts as; by default what its spec says. */
export type ContainerAmounts = (container: Container, half: Half) => ResourceList;

export const specifiedAmounts: ContainerAmounts = (container, half) => readResourceList(container.resources?.[half]);

const podLevel = new Set(['cpu', 'memory']);
const isPodLevel = (name: string) => podLevel.has(name) || name.startsWith('hugepages-');

/**
 * What a pod takes as a whole: its containers and sidecars together, or more where an init container needs more; amounts given for
 * the pod itself replace that. Overhead is not in it.
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
      // Of everything else the sidecars need what they needed before.
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
