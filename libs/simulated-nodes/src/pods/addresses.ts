import type { Pod } from '@apichain/api/core/v1';

/** Assigns the addresses of a node's pods, from a range of 256 IPv4 addresses such as `10.244.0.0/24`. */
export class PodAddresses {
  readonly #network: string;
  readonly #byUid = new Map<string, number>();
  readonly #used = new Set<number>();
  #last = 1;

  constructor(podCIDR: string) {
    this.#network = podCIDR.slice(0, podCIDR.lastIndexOf('.'));
  }

  /** The address of a pod: the one of its status, or a free one. A range without free addresses starts over. */
  of({ metadata: { uid = '' }, status }: Pod): string {
    const known = this.#byUid.get(uid) ?? this.#reported(status?.podIP);
    const host = known ?? this.#free();
    this.#byUid.set(uid, host);
    this.#used.add(host);
    return `${this.#network}.${host}`;
  }

  forget(uid: string): void {
    const host = this.#byUid.get(uid);
    if (host === undefined) return;
    this.#byUid.delete(uid);
    this.#used.delete(host);
  }

  #reported(address: string | undefined): number | undefined {
    return address?.startsWith(`${this.#network}.`) === true
      ? Number(address.slice(this.#network.length + 1))
      : undefined;
  }

  #free(): number {
    for (let tries = 0; tries < 253; tries++) {
      this.#last = this.#last >= 254 ? 2 : this.#last + 1;
      if (!this.#used.has(this.#last)) break;
    }
    return this.#last;
  }
}
