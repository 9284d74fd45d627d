/**
 * The operator of examples/website-operator as the program that docs/guides/write-an-operator.md describes. Prints which host names it sets and removes.
 *
 *   KUBECONFIG=FILE node tools/compatibility/controllers/operator-program.ts IDENTITY NAMESPACE HEALTH_PORT METRICS_PORT
 */
import { newClient, setupSignalHandler, startManager } from 'apichain/client';
import { websiteController } from '../../../examples/website-operator/operator.ts';

const [identity = '', namespace = '', healthPort = '', metricsPort = ''] = process.argv.slice(2);
const print = (text: string) => async (host: string) => console.log(`${host} ${text}`);
const client = newClient();
const manager = await startManager({
  client,
  controllers: [websiteController({ set: print('is known'), remove: print('is forgotten') })],
  // A program that is started again is another candidate, as a new pod is.
  leaderElection: { id: 'websites.example.com', namespace, identity: `${identity}_${process.pid}` },
  healthProbeBindAddress: `127.0.0.1:${healthPort}`,
  metricsBindAddress: `127.0.0.1:${metricsPort}`,
  signal: setupSignalHandler(),
});
await manager.stopped;
await client.close();
