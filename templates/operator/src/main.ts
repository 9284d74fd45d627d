import { once } from 'node:events';
import { httpTransport, loadKubeconfig, RestClient } from 'apichain/client';
import definition from '../config/crd.json' with { type: 'json' };
import { startController } from './controller.ts';

const kubeconfig = process.env.KUBECONFIG ?? '.apichain/admin.kubeconfig';
const client = new RestClient(httpTransport(loadKubeconfig(kubeconfig)));
const definitions = { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' };
await client.patch(definitions, definition.metadata.name, 'apply', definition, {
  query: { fieldManager: 'my-project' },
});
const stop = await startController(client, (text) => console.error(text));
console.log(`reconciles ${definition.metadata.name} of ${kubeconfig}`);
await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
await stop();
await client.close();
