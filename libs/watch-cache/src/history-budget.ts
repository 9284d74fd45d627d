/** The maximum size of the histories of a server, in bytes. */
const defaultMaxBytes = 128 * 1024 * 1024;

/** A history that can lose its oldest event. */
export interface BudgetedHistory {
  readonly size: number;
  readonly bytes: number;
  dropOldest(): void;
}

/**
 * Bounds the bytes of the histories of all resources of a server. Each has a bound of its own, but a user may write objects of many resources. When they are too
 * large together, the largest loses its oldest events: watches that begin there get 410, and lists of that time are read from etcd.
 */
export class HistoryBudget {
  readonly #maxBytes: number;
  readonly #histories = new Set<BudgetedHistory>();
  #bytes = 0;

  constructor(maxBytes = defaultMaxBytes) {
    this.#maxBytes = maxBytes;
  }

  add(history: BudgetedHistory): void {
    this.#histories.add(history);
    this.#bytes += history.bytes;
  }

  /** Counts what was added to a history, or removed from it, in bytes. */
  changed(history: BudgetedHistory, by: number): void {
    if (!this.#histories.has(history)) return;
    this.#bytes += by;
    while (this.#bytes > this.#maxBytes) {
      const largest = this.#largest();
      if (largest === undefined) return;
      largest.dropOldest();
    }
  }

  /** The history is no longer used. */
  remove(history: BudgetedHistory): void {
    if (this.#histories.delete(history)) this.#bytes -= history.bytes;
  }

  /** Undefined when none can become smaller: each keeps its last event. */
  #largest(): BudgetedHistory | undefined {
    let largest: BudgetedHistory | undefined;
    for (const history of this.#histories)
      if (history.size > 1 && history.bytes > (largest?.bytes ?? 0)) largest = history;
    return largest;
  }
}
