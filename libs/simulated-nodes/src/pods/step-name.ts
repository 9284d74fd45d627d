/**
 * What a kubelet does to a pod: accepts it; starts, restarts and ends containers; reports readiness, failed pulls and back-offs; evicts the pod, or ends
 * it at its deadline; ends its containers after it was deleted, and removes it then. `update` = the status follows a change of the pod.
 */
export type StepName =
  | 'accept'
  | 'start'
  | 'pull-fails'
  | 'ready'
  | 'exit'
  | 'back-off'
  | 'restart'
  | 'evict'
  | 'deadline'
  | 'terminate'
  | 'remove'
  | 'update';
