import { ensure, type BootstrapContext } from './context.ts';

const classes: readonly (readonly [name: string, value: number, description: string])[] = [
  ['system-node-critical', 2000001000, 'Used for system critical pods that must not be moved from their current node.'],
  [
    'system-cluster-critical',
    2000000000,
    'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
  ],
];

/** https://kubernetes.io/docs/tasks/administer-cluster/guaranteed-scheduling-critical-addon-pods/#marking-pod-as-critical */
export async function ensurePriorityClasses({ client }: BootstrapContext): Promise<void> {
  const ref = { group: 'scheduling.k8s.io', version: 'v1', resource: 'priorityclasses' };
  for (const [name, value, description] of classes) {
    await ensure(client, ref, {
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      metadata: { name },
      value,
      description,
    });
  }
}
