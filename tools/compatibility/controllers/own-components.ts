import { join } from 'node:path';
import { freePort } from '@apichain/meta';
import type { Cluster } from './cluster.ts';
import { hasDefaultAccount } from './core-controllers.ts';
import { isOk } from '../../servers/get.ts';
import { Program } from './program.ts';

const apps = join(import.meta.dirname, '../../../apps');

/** Starts a program of this repository as the administrator of a cluster, and waits until it says that it is ready. */
async function startApp(cluster: Cluster, name: string, app: string, args: readonly string[]): Promise<Program> {
  const address = `127.0.0.1:${await freePort()}`;
  const program = new Program(
    name,
    process.execPath,
    [
      join(apps, app, 'src/main.ts'),
      `--kubeconfig=${cluster.admin.kubeconfig}`,
      `--health-probe-bind-address=${address}`,
      ...args,
    ],
    cluster.logFile(name),
  );
  await program.until(isOk(`http://${address}/readyz`));
  return program;
}

/** Starts our controllers in the place of kube-controller-manager. */
export async function startOwnControllers(cluster: Cluster, flags: readonly string[] = []): Promise<Program> {
  const program = await startApp(cluster, 'controllers', 'controllers', [
    '--workload-controllers',
    `--service-account-private-key-file=${cluster.serviceAccountKey}`,
    `--root-ca-file=${cluster.rootCertificate}`,
    ...flags,
  ]);
  await program.until(() => hasDefaultAccount(cluster));
  return program;
}

/** Starts our scheduler, or our nodes. They are one program, which can be both. */
export function startOwnSimulation(
  cluster: Cluster,
  parts: { readonly scheduler: boolean; readonly nodes: boolean },
  name: string,
): Promise<Program> {
  return startApp(cluster, name, 'simulation', [
    `--scheduler=${parts.scheduler}`,
    `--nodes=${parts.nodes ? cluster.nodes.length : 'none'}`,
  ]);
}
