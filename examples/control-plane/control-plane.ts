import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { certificateFlags, ensurePki, hostControllers, kubeconfig, startInProcessChain } from '@apichain/chain';
import { kinds, RestClient, startManager } from '@apichain/client/library';
import { startEmbeddedEtcd } from '@apichain/embedded-etcd';
import { pino } from 'pino';
import { tenantController } from './controller.ts';
import tenantDefinition from './config/crd.json' with { type: 'json' };

const built = ['clusterrole-aggregation-controller', 'garbage-collector-controller', 'namespace-controller'] as const;

/**
 * Starts a control plane with the API of tenants in this process. Its certificates are in `directory`, and its data too unless `memory` is true.
 * Returns the kubeconfig of an administrator.
 */
export async function startControlPlane(directory: string, port: number, memory = false) {
  const log = pino({ level: 'warn' }, pino.destination(2));
  const pki = join(directory, 'pki');
  await ensurePki({ directory: pki, hosts: [], services: ['aggregator'] });
  const pem = (file: string) => readFileSync(join(pki, file), 'utf8');
  const store = memory ? { memory } : { dataDir: join(directory, 'data') };
  const etcd = await startEmbeddedEtcd({ ...store, inProcess: true });
  const server = ['--apis=minimal', '--authorization-mode=RBAC', '--bind-address=127.0.0.1', `--secure-port=${port}`];
  const chain = await startInProcessChain({
    flags: [...server, `--etcd-servers=${etcd.url}`, ...certificateFlags(pki)],
    logger: () => log,
    onFatal: (error) => {
      throw error;
    },
  });
  await chain.ready();
  const controllers = hostControllers(chain, built, { rootCa: pem('ca.crt'), log });
  const client = new RestClient(chain.connect('tenant-controller'));
  const { name } = tenantDefinition.metadata;
  await client.patch(kinds.CustomResourceDefinition, name, 'apply', tenantDefinition, {
    query: { fieldManager: 'control-plane' },
  });
  const manager = await startManager({ client, controllers: [tenantController] });
  const url = `https://127.0.0.1:${chain.port}`;
  return {
    kubeconfig: kubeconfig({
      server: url,
      ca: pem('ca.crt'),
      cert: pem('admin.crt'),
      key: pem('admin.key'),
      user: 'admin',
    }),
    stop: async () => {
      await manager.stop();
      await controllers.stop();
      await client.close();
      await chain.stop();
      await etcd.close();
    },
  };
}
