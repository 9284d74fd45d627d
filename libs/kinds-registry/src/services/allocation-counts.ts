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
