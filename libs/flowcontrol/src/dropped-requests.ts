const longest = 32;

interface Second {
  readonly second: number;
  readonly dropped: number;
}

/**
 * The Retry-After of a priority level for rejected requests. It doubles while many requests are rejected and then decreases by one second at a
 * time, between 1 and 32 seconds (dropped_requests_tracker.go of k8s.io/apiserver).
 */
export class DroppedRequests {
  #history: Second[] = [];
  #second = 0;
  #dropped = 0;
  #retryAfter = 1;
  #raisedAt = 0;

  get retryAfter(): number {
    return this.#retryAfter;
  }

  /** `second` = the time since the epoch in whole seconds. */
  record(second: number): void {
    if (second === this.#second) {
      this.#dropped++;
      return;
    }
    this.#history.push({ second: this.#second, dropped: this.#dropped });
    this.#history = this.#history.filter((past) => this.#second - past.second <= longest);
    this.#second = second;
    this.#dropped = 1;
    this.#adjust(second);
  }

  #adjust(now: number): void {
    const current = this.#retryAfter;
    const recent = this.#history.filter(({ second }) => second < now && now - second <= current);
    const dropped = recent.reduce((sum, past) => sum + past.dropped, 0);
    if (now - this.#raisedAt >= current && dropped >= 3 * current) {
      this.#retryAfter = Math.min(current * 2, longest);
      this.#raisedAt = now;
    } else if (dropped < current && current > 1) this.#retryAfter = current - 1;
  }
}
