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
