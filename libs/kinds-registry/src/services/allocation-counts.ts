/** Who chose an address or port: `static` = the client, `dynamic` = the allocator. */
export type AllocationScope = 'static' | 'dynamic';

/** How many allocations an allocator has made and refused, for the metrics. Dry runs are not counted. */
export class AllocationCounts {
  readonly made = { static: 0, dynamic: 0 };
  readonly failed = { static: 0, dynamic: 0 };

  /** Runs one allocation. */
  async of<Result>(scope: AllocationScope, allocate: () => Promise<Result>): Promise<Result> {
    try {
      const result = await allocate();
      this.made[scope]++;
      return result;
    } catch (error) {
      this.failed[scope]++;
      throw error;
    }
  }
}

/** The allocations of cluster IPs in each range, for the metrics. There are no more ranges than ServiceCIDRs have been made. */
export class ClusterIpCounts {
  readonly #ranges = new Map<string, AllocationCounts>();
  /** Is told how long each allocation took. */
  onDuration: ((cidr: string, seconds: number) => void) | undefined;

  has(cidr: string): boolean {
    return this.#ranges.has(cidr);
  }

  made(cidr: string, scope: AllocationScope, seconds: number): void {
    this.#of(cidr).made[scope]++;
    this.onDuration?.(cidr, seconds);
  }

  failed(cidr: string, scope: AllocationScope): void {
    this.#of(cidr).failed[scope]++;
  }

  all(): Iterable<readonly [cidr: string, counts: AllocationCounts]> {
    return this.#ranges;
  }

  #of(cidr: string): AllocationCounts {
    const counts = this.#ranges.get(cidr) ?? new AllocationCounts();
    this.#ranges.set(cidr, counts);
    return counts;
  }
}
