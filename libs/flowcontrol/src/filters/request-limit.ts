import type { Filter } from '@apichain/request';

export type RequestKind = 'readOnly' | 'mutating';

/** What keeps a server from serving more at a time than it can: priority and fairness, or two plain limits. */
export interface RequestLimit {
  readonly filter: Filter;
  running(kind: RequestKind): number;
  /** In queues. */
  waiting(kind: RequestKind): number;
}
