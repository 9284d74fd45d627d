import { ensure, type BootstrapContext } from './context.ts';
import { ensureNamespace } from './system-namespaces.ts';

const namespace = 'default';
const name = 'kubernetes';
const core = (resource: string) => ({ group: '', version: 'v1', resource, namespace });

interface KubernetesServiceOptions {
  /** The first address of the service range. */
  readonly clusterIp: string;
  /** The port of the server, or of the one in front of it. */
  readonly targetPort: number;
  /** `--kubernetes-service-node-port`; 0 = none. */
  readonly nodePort: number;
}

/** The service through which pods reach the API: https://kubernetes.io/docs/tasks/run-application/access-api-from-pod/ */
export async function ensureKubernetesService(
  context: BootstrapContext,
  options: KubernetesServiceOptions,
): Promise<void> {
  await ensureNamespace(context, namespace);
  const port = { name: 'https', port: 443, protocol: 'TCP', targetPort: options.targetPort };
  await ensure(context.client, core('services'), {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace, labels: { component: 'apiserver', provider: 'kubernetes' } },
    spec: {
      type: options.nodePort > 0 ? 'NodePort' : 'ClusterIP',
      clusterIP: options.clusterIp,
      ipFamilyPolicy: 'SingleStack',
      sessionAffinity: 'None',
      ports: [options.nodePort > 0 ? { ...port, nodePort: options.nodePort } : port],
    },
  });
}
