import { ensure, type BootstrapContext } from './context.ts';

/** In the order of creation. */
export const systemNamespaces: readonly string[] = ['kube-system', 'kube-public', 'default', 'kube-node-lease'];

const ref = { group: '', version: 'v1', resource: 'namespaces' };

/** Hooks start concurrently. A hook that writes into a namespace first ensures that the namespace exists. */
export const ensureNamespace = ({ client }: BootstrapContext, name: string): Promise<void> =>
  ensure(client, ref, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });

/** https://kubernetes.io/docs/concepts/overview/working-with-objects/namespaces/#initial-namespaces */
export async function ensureSystemNamespaces(context: BootstrapContext): Promise<void> {
  for (const name of systemNamespaces) await ensureNamespace(context, name);
}
