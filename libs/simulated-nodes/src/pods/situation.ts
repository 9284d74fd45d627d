import type { Pod } from '@apichain/api/core/v1';
import type { Intentions } from './annotations.ts';

/** What a kubelet knows when it looks at a pod. */
export interface Situation {
  readonly pod: Pod;
  readonly intentions: Intentions;
  /** Milliseconds since the epoch, by the clock of the API. */
  readonly now: number;
  /** The address of the node. */
  readonly hostIP: string;
  /** The address of the pod. Assigns one at the first call. */
  readonly podIP: () => string;
  /**
   * The moment that a time of the status stands for, in milliseconds. The status has whole seconds; a kubelet that has written it knows more. `now`
   * for an absent time.
   */
  readonly momentOf: (time: string | null | undefined) => number;
}
