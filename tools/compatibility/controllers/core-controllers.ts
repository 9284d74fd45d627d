import { freePort } from '@apichain/meta';
import { type Cluster, conditionOf } from './cluster.ts';
import { Kubelet } from './kubelet.ts';
import { isOk } from '../../servers/get.ts';
import { Program } from './program.ts';

const namespace = 'kube-system';

/** The rights of an account that runs a core component: those of its user, at another name. */
function rightsOf(name: string, clusterRoles: readonly string[]): object[] {
  const rbac = 'rbac.authorization.k8s.io';
  const subjects = [{ kind: 'ServiceAccount', namespace, name }];
  const bound = (kind: string, role: string) => ({
    apiVersion: `${rbac}/v1`,
    kind: `${kind}Binding`,
    metadata: { name: `${name}-account-${role.replaceAll(':', '-')}`, ...(kind === 'Role' ? { namespace } : {}) },
    roleRef: { apiGroup: rbac, kind, name: role },
    subjects,
  });
  return [
    ...clusterRoles.map((role) => bound('ClusterRole', role)),
    ...['extension-apiserver-authentication-reader', `system::leader-locking-${name}`].map((role) =>
      bound('Role', role),
    ),
  ];
}

/** Starts a core component with a ServiceAccount of its own, and waits until a page of it returns 200. */
async function startComponent(
  cluster: Cluster,
  name: string,
  file: string,
  {
    roles,
    page,
    flags,
  }: { readonly roles: readonly string[]; readonly page: string; readonly flags: readonly string[] },
): Promise<Program> {
  const port = await freePort();
  const { kubeconfig } = await cluster.account(namespace, name);
  await cluster.apply(rightsOf(name, roles));
  const uses = ['', 'authentication-', 'authorization-'].map((use) => `--${use}kubeconfig=${kubeconfig}`);
  const serving = ['--bind-address=127.0.0.1', `--secure-port=${port}`, `--cert-dir=${cluster.dir}/${name}`];
  const program = new Program(name, file, [...uses, ...serving, ...flags], cluster.logFile(name));
  await program.until(isOk(`https://127.0.0.1:${port}${page}`));
  return program;
}

/** Starts kube-controller-manager with an account for each of its controllers. */
export async function startControllerManager(
  cluster: Cluster,
  file: string,
  flags: readonly string[] = [],
): Promise<Program> {
  const program = await startComponent(cluster, 'kube-controller-manager', file, {
    roles: ['system:kube-controller-manager'],
    page: '/healthz',
    flags: [
      '--use-service-account-credentials',
      `--service-account-private-key-file=${cluster.serviceAccountKey}`,
      `--root-ca-file=${cluster.rootCertificate}`,
      // A controller that downstream builds add. It needs rights that only their API server grants.
      '--controllers=*,-service-ca-certificate-publisher-controller',
      ...flags,
    ],
  });
  await program.until(() => hasDefaultAccount(cluster));
  return program;
}

/** Whether the controller of ServiceAccounts works. */
export const hasDefaultAccount = async (cluster: Cluster): Promise<boolean> =>
  (await cluster.find('/api/v1/namespaces/default/serviceaccounts/default')) !== undefined;

export const startScheduler = (cluster: Cluster, file: string): Promise<Program> =>
  startComponent(cluster, 'kube-scheduler', file, {
    roles: ['system:kube-scheduler', 'system:volume-scheduler'],
    page: '/readyz',
    flags: [],
  });

/** Starts a kubelet for each node of the cluster, and waits until the taints of new nodes have been removed. */
export async function startKubelets(cluster: Cluster): Promise<Kubelet[]> {
  const kubelets = cluster.nodes.map(({ name, client }) => new Kubelet(name, client));
  for (const kubelet of kubelets) await kubelet.start();
  await untilNodesAreReady(cluster);
  return kubelets;
}

/** Waits until the nodes are ready and without the taints of new nodes. */
export async function untilNodesAreReady(cluster: Cluster): Promise<void> {
  for (const { name } of cluster.nodes)
    await cluster.until(
      `/api/v1/nodes/${name}`,
      (node) => conditionOf(node, 'Ready') === 'True' && node.spec?.['taints'] === undefined,
    );
}
