import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { certificateFlags, ensurePki, hostControllers, kubeconfig, startInProcessChain } from 'apichain';
import { kinds, RestClient, startManager } from 'apichain/client';
import { startEmbeddedEtcd } from 'apichain/etcd';
import { pino } from 'pino';
import definition from '../config/crd.json' with { type: 'json' };
import { widgetController } from './controller.ts';

/** The controllers of Kubernetes that the API needs to be consistent. */
const built = ['clusterrole-aggregation-controller', 'garbage-collector-controller', 'namespace-controller'] as const;

export interface ControlPlaneOptions {
  /** Where certificates and data are kept. */
  readonly directory: string;
  /** 0 = any free port. */
  readonly port: number;
  /** Writes no data to disk. */
  readonly memory?: boolean;
}

/** Starts an API with Widgets and their controller in this process. Returns the kubeconfig of an administrator. */
export async function startControlPlane({ directory, port, memory = false }: ControlPlaneOptions) {
  const log = pino({ level: 'warn' }, pino.destination(2));
  const pki = join(directory, 'pki');
  await ensurePki({ directory: pki, hosts: [], services: ['aggregator'] });
  const pem = (file: string) => readFileSync(join(pki, file), 'utf8');
  const store = memory ? { memory } : { dataDir: join(directory, 'store') };
  const etcd = await startEmbeddedEtcd({ ...store, inProcess: true });
  const chain = await startInProcessChain({
    flags: [
      '--apis=minimal',
      '--authorization-mode=RBAC',
      '--bind-address=127.0.0.1',
      `--secure-port=${port}`,
      `--etcd-servers=${etcd.url}`,
      ...certificateFlags(pki),
    ],
    logger: () => log,
    onFatal: (error) => {
      throw error;
    },
  });
  await chain.ready();
  const controllers = hostControllers(chain, built, { rootCa: pem('ca.crt'), log });
  const client = new RestClient(chain.connect('my-project'));
  await client.patch(kinds.CustomResourceDefinition, definition.metadata.name, 'apply', definition, {
    query: { fieldManager: 'my-project' },
  });
  const manager = await startManager({ client, controllers: [widgetController] });
  return {
    kubeconfig: kubeconfig({
      server: `https://127.0.0.1:${chain.port}`,
      ca: pem('ca.crt'),
      cert: pem('admin.crt'),
      key: pem('admin.key'),
      user: 'admin',
    }),
    async stop() {
      await manager.stop();
      await controllers.stop();
      await client.close();
      await chain.stop();
      await etcd.close();
    },
  };
}
