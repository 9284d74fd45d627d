import type { Pod, PodStatus } from '@apichain/api/core/v1';
import type { Intentions } from './annotations.ts';

/**
 * What a kubelet does to a pod: accepts or rejects it; starts, restarts and ends containers; reports readiness, failed pulls and back-offs; evicts the pod, ends it for a critical one, or
 * it at its deadline; ends its containers after it was deleted, and removes it then. `update` = the status follows a change of the pod.
 */
export type StepName =
  | 'accept'
  | 'reject'
  | 'start'
  | 'pull-fails'
  | 'ready'
  | 'exit'
  | 'back-off'
  | 'restart'
  | 'evict'
  | 'preempt'
  | 'deadline'
  | 'terminate'
  | 'remove'
  | 'update';

/** What a kubelet knows when it looks at a pod. */
export interface Situation {
  readonly pod: Pod;
  readonly intentions: Intentions;
  /** Milliseconds since the epoch, by the clock of the API. */
  readonly now: number;
  /** Why the pod may not be on the node; undefined if it is admitted, and counts from then on. Asked before the pod is accepted. */
  readonly rejection: () => Rejection | undefined;
  /** Whether the pod makes room for a critical one. */
  readonly isPreempted: () => boolean;
  /** The code with which a run of a container has exited because a user of it said so, by the identifier of the run. */
  readonly exitCodeOf: (containerID: string) => number | undefined;
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

/** Why a kubelet does not run a pod. */
export interface Rejection {
  readonly reason: string;
  readonly message: string;
}

const rejected = 'Pod was rejected: ';

/** The status of a pod that a kubelet rejects. It has no conditions and no containers. After rejectPod of pkg/kubelet. */
export const rejectedStatus = ({ reason, message }: Rejection): PodStatus => ({
  phase: 'Failed',
  reason,
  message: `${rejected}${message}`,
});

/** Whether a kubelet has rejected the pod. */
export const isRejected = ({ phase, message }: PodStatus): boolean =>
  phase === 'Failed' && message?.startsWith(rejected) === true;
