import type { PodStatus } from '@apichain/api/core/v1';

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
