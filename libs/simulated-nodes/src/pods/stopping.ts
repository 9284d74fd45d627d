import type { Pod } from '@apichain/api/core/v1';
import { intentionsOf } from './annotations.ts';
import { killingEvent } from './container-events.ts';
import { containersOf } from './containers.ts';
import type { PodEvent } from './events.ts';

/**
 * Reports that a kubelet stops the containers of a pod, when it begins to: the pod is being deleted, or it exists no longer, because a grace period of 0
 * waits for no kubelet. After killContainer of pkg/kubelet/kuberuntime.
 */
export class StoppedPods {
  readonly #reported = new Set<string>();

  /** The events about a pod that has changed. */
  changed(pod: Pod): PodEvent[] {
    const { uid = '', deletionTimestamp } = pod.metadata;
    if (deletionTimestamp === undefined || this.#reported.has(uid)) return [];
    const events = stopsOf(pod);
    if (events.length > 0) this.#reported.add(uid);
    return events;
  }

  /** The events about a pod that is gone, as it was at last. */
  removed(pod: Pod): PodEvent[] {
    const { uid = '' } = pod.metadata;
    return this.#reported.delete(uid) ? [] : stopsOf(pod);
  }
}

const stopsOf = (pod: Pod): PodEvent[] =>
  containersOf({ pod, intentions: intentionsOf(pod) })
    .filter(({ status: { state } }) => state?.running !== undefined)
    .map((container) => killingEvent(container));
