/** A priority class that every cluster has. */
interface SystemPriorityClass {
  readonly name: string;
  readonly value: number;
  readonly description: string;
}

/** The priority from which on a pod is critical. */
export const criticalPriority = 2_000_000_000;

/** https://kubernetes.io/docs/tasks/administer-cluster/guaranteed-scheduling-critical-addon-pods/#marking-pod-as-critical */
export const systemPriorityClasses: readonly SystemPriorityClass[] = [
  {
    name: 'system-node-critical',
    value: criticalPriority + 1_000,
    description: 'Used for system critical pods that must not be moved from their current node.',
  },
  {
    name: 'system-cluster-critical',
    value: criticalPriority,
    description:
      'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
  },
];

/** The highest priority of a class that is not one of the system. */
export const highestUserPriority = 1_000_000_000;
