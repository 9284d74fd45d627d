import { kinds, newClient, loadKubeconfig, setupSignalHandler, startManager } from 'apichain/client';
import definition from '../config/crd.json' with { type: 'json' };
import { widgetController } from './controller.ts';

const kubeconfig = process.env.KUBECONFIG ?? '.apichain/admin.kubeconfig';
const client = newClient(loadKubeconfig(kubeconfig));
const { name } = definition.metadata;
await client.patch(kinds.CustomResourceDefinition, name, 'apply', definition, {
  query: { fieldManager: 'my-project' },
});
const manager = await startManager({ client, controllers: [widgetController], signal: setupSignalHandler() });
console.log(`reconciles ${name} of ${kubeconfig}`);
await manager.stopped;
await client.close();
