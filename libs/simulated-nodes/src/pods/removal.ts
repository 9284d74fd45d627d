import type { Pod } from '@apichain/api/core/v1';
import { intentionsOf } from './annotations.ts';
import { killingEvent } from './container-events.ts';
import { containersOf } from './containers.ts';
import type { PodEvent } from './events.ts';

/**
 * What a kubelet tells when a pod exists no longer: it stops the containers that still run. They do if the pod was deleted with a grace period of 0, which
 * waits for no kubelet.
 */
export const eventsOfRemoval = (pod: Pod): PodEvent[] =>
  containersOf({ pod, intentions: intentionsOf(pod) })
    .filter(({ status: { state } }) => state?.running !== undefined)
    .map((container) => killingEvent(container));
