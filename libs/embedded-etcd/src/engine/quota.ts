/** The size of an etcd database without keys, in bytes. */
const emptyBytes = 20_480;

/** What etcd's quota counts for a put or a lease beside its key and value, in bytes. */
export const putCost = 256;
export const leaseCost = 64;

/**
 * The limit on the size of the database, as etcd's: the database grows with what is stored in it, history included, and stays as large when something
 * is removed. Only a defragmentation makes it smaller. A write that does not fit raises the alarm NOSPACE. As long as it is raised, nothing is added.
 * https://etcd.io/docs/v3.5/op-guide/maintenance/#space-quota
 */
export class Quota {
  readonly limit: number;
  /** The members for which the alarm NOSPACE is raised. */
  readonly alarms = new Set<string>();
  #size = emptyBytes;

  constructor(limit: number) {
    this.limit = limit;
  }

  /** The size of the database while this many bytes of it are in use. */
  sizeWith(used: number): number {
    this.#size = Math.max(this.#size, emptyBytes + used);
    return this.#size;
  }

  /** Whether so many bytes may be added. */
  hasRoom(used: number, cost: number): boolean {
    return this.sizeWith(used) + cost < this.limit;
  }

  defragment(): void {
    this.#size = emptyBytes;
  }
}
