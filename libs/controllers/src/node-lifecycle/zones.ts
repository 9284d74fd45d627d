import type { Node } from '@apichain/api/core/v1';

/** How many nodes of a zone are not ready. */
export type ZoneState = 'Initial' | 'Normal' | 'PartialDisruption' | 'FullDisruption';

/** As in kube-controller-manager, in nodes per second. */
const normalRate = 0.1;
const reducedRate = 0.01;
const largeZone = 50;
const unhealthyShare = 0.55;

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
export function stateOfZone(ready: number, notReady: number): ZoneState {
  if (ready === 0 && notReady > 0) return 'FullDisruption';
  return notReady > 2 && notReady / (notReady + ready) >= unhealthyShare ? 'PartialDisruption' : 'Normal';
}

/** How many nodes a second get the taint that evicts their pods, in a zone of this state and size. */
export function evictionRate(state: ZoneState, size: number): number {
  if (state !== 'PartialDisruption') return normalRate;
  return size > largeZone ? reducedRate : 0;
}

/** Lets one through at first, then `rate` a second. With the rate 0 nobody gets through. */
export class ZoneLimiter {
  #rate = normalRate;
  #tokens = 1;
  #at: number;

  constructor(now: number) {
    this.#at = now;
  }

  setRate(rate: number, now: number): void {
    this.#refill(now);
    this.#rate = rate;
  }

  /** Takes a turn. Returns 0, or after how many milliseconds there is one. */
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
