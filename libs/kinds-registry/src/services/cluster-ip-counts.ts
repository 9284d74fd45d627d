import { AllocationCounts, type AllocationScope } from './allocation-counts.ts';

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
