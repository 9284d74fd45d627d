import type { NodeInfo } from './node-info.ts';
import { type Resources, amountOfResource, namedAmounts } from './resources.ts';

/** A resource of which a node has too little left. CPU in thousandths, everything else in whole units. */
export interface Shortage {
  /** `pods`, `cpu`, `memory` and so on. */
  readonly resource: string;
  readonly requested: number;
  readonly used: number;
  readonly capacity: number;
}

/** The resources of which a node has too little left for one more pod with these requests, in the order of messages. */
export function shortagesOf(requests: Resources, { allocatable, requested, pods, allowedPods }: NodeInfo): Shortage[] {
  const shortages: Shortage[] = [];
  if (pods.size >= allowedPods)
    shortages.push({ resource: 'pods', requested: 1, used: pods.size, capacity: allowedPods });
  for (const [resource, wanted] of namedAmounts(requests)) {
    const capacity = amountOfResource(allocatable, resource);
    const used = amountOfResource(requested, resource);
    if (wanted !== 0 && wanted > capacity - used) shortages.push({ resource, requested: wanted, used, capacity });
  }
  return shortages;
}
