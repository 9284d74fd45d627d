import type { Node } from '@apichain/api/core/v1';
import type { ControllerSettings } from '../settings.ts';

/** How many nodes of a zone are not ready. */
export type ZoneState = 'Initial' | 'Normal' | 'PartialDisruption' | 'FullDisruption';

/** The zone of a node, with its region. */
export function zoneOf({ metadata: { labels = {} } }: Node): string {
  const region = labels['topology.kubernetes.io/region'] ?? labels['failure-domain.beta.kubernetes.io/region'] ?? '';
  const zone = labels['topology.kubernetes.io/zone'] ?? labels['failure-domain.beta.kubernetes.io/zone'] ?? '';
  return `${region}:${zone}`;
}

/** Whether a node does not count towards the state of its zone. */
export const isExcluded = ({ metadata }: Node): boolean =>
  metadata.labels?.['node.kubernetes.io/exclude-disruption'] !== undefined;

/** The state of a zone with so many nodes. */
export function stateOfZone(ready: number, notReady: number, settings: ControllerSettings): ZoneState {
  if (ready === 0 && notReady > 0) return 'FullDisruption';
  const isUnhealthy = notReady / (notReady + ready) >= settings['unhealthy-zone-threshold'];
  return notReady > 2 && isUnhealthy ? 'PartialDisruption' : 'Normal';
}

/** How many nodes a second get the taint that evicts their pods, in a zone of this state and size. */
export function evictionRate(state: ZoneState, size: number, settings: ControllerSettings): number {
  if (state !== 'PartialDisruption') return settings['node-eviction-rate'];
  return size > settings['large-cluster-size-threshold'] ? settings['secondary-node-eviction-rate'] : 0;
}

/** Lets one through at first, then `rate` a second. With the rate 0 nobody gets through. */
export class ZoneLimiter {
  #rate: number;
  #tokens = 1;
  #at: number;

  constructor(rate: number, now: number) {
    this.#rate = rate;
    this.#at = now;
  }

  setRate(rate: number, now: number): void {
    this.#refill(now);
    this.#rate = rate;
  }

  /** Takes a token. Returns 0, or after how many milliseconds there is one. */
  take(now: number): number {
    this.#refill(now);
    if (this.#rate === 0) return Infinity;
    if (this.#tokens < 1) return Math.ceil(((1 - this.#tokens) / this.#rate) * 1_000);
    this.#tokens--;
    return 0;
  }

  #refill(now: number): void {
    // A share of a millisecond must not be left over.
    const tokens = this.#tokens + ((now - this.#at) / 1_000) * this.#rate;
    this.#tokens = Math.min(1, Math.round(tokens * 1e6) / 1e6);
    this.#at = now;
  }
}
