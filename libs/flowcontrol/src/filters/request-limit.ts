import type { Filter } from '@apichain/request';

export type RequestKind = 'readOnly' | 'mutating';

/** Limits the concurrent requests of a server: priority and fairness, or two fixed limits. */
export interface RequestLimit {
  readonly filter: Filter;
  running(kind: RequestKind): number;
  /** The number of requests in queues. */
  waiting(kind: RequestKind): number;
}
