import type { ApiSet } from '@apichain/apiserver-options';
import { ensure, type BootstrapContext } from './context.ts';

const nodes = { group: '', resource: 'nodes' };

/** In the order of creation. The last one has the Leases of nodes. */
export const systemNamespaces = (apis: ApiSet): readonly string[] => [
  'kube-system',
  'kube-public',
  'default',
  ...(apis.serves(nodes) ? ['kube-node-lease'] : []),
];

const ref = { group: '', version: 'v1', resource: 'namespaces' };

/** Hooks start concurrently. A hook that writes into a namespace first ensures that the namespace exists. */
export const ensureNamespace = ({ client }: BootstrapContext, name: string): Promise<void> =>
  ensure(client, ref, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });

/** https://kubernetes.io/docs/concepts/overview/working-with-objects/namespaces/#initial-namespaces */
export async function ensureSystemNamespaces(context: BootstrapContext, apis: ApiSet): Promise<void> {
  for (const name of systemNamespaces(apis)) await ensureNamespace(context, name);
}
