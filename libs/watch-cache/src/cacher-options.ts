import type { StoreOptions } from '@apichain/storage';
import type { HistoryBudget } from './history-budget.ts';
import type { RingLimits } from './ring.ts';

export interface CacherOptions extends StoreOptions {
  /** False: etcd serves every read and feeds every watch directly. Default: true. */
  readonly watchCache?: boolean;
  /**
   * Whether the list of a part, e.g. of one namespace, fills the watch cache. If not, etcd serves it until something else has filled the cache: the first
   * look at a part of many objects is then quick. Default: true.
   */
  readonly partsFillCache?: boolean;
  /** How long a list or watch waits for the first filling of the cache, in milliseconds. Default: 5,000. */
  readonly fillTimeoutMs?: number;
  /** Field labels to index lists and watches by, besides the name; e.g. `spec.nodeName`. */
  readonly indexFields?: readonly string[];
  readonly ringLimits?: RingLimits;
  /** Bounds the histories of all resources of a server together. Default: this one alone. */
  readonly historyBudget?: HistoryBudget;
}
