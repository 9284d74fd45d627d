import { ensure, type BootstrapContext } from './context.ts';

/** In the order in which they are made. */
export const systemNamespaces: readonly string[] = ['kube-system', 'kube-public', 'default', 'kube-node-lease'];

/** https://kubernetes.io/docs/concepts/overview/working-with-objects/namespaces/#initial-namespaces */
export async function ensureSystemNamespaces({ client }: BootstrapContext): Promise<void> {
  const ref = { group: '', version: 'v1', resource: 'namespaces' };
  for (const name of systemNamespaces) {
    await ensure(client, ref, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }
}
