import { RestClient, httpTransport, loadKubeconfig } from '@apichain/client';
import { startScheduler } from '@apichain/scheduler';
import { Process } from '../../servers/process.ts';

/** A scheduler at work. */
export interface RunningScheduler {
  stop(): Promise<void>;
}

/** A client with the rights of the kubeconfig file. */
export const clientOf = (kubeconfig: string): RestClient =>
  new RestClient(httpTransport({ ...loadKubeconfig(kubeconfig), connections: 100, userAgent: 'scheduling' }));

/** Starts kube-scheduler. */
export async function startKubeScheduler(program: string, kubeconfig: string, log: string): Promise<RunningScheduler> {
  const flags = [`--kubeconfig=${kubeconfig}`, '--leader-elect=false', '--secure-port=0', '-v=2'];
  return new Process([program, ...flags], log).start();
}

/** Starts the scheduler of this project. */
export async function startOwnScheduler(kubeconfig: string): Promise<RunningScheduler> {
  const client = clientOf(kubeconfig);
  const stop = new AbortController();
  const log = {
    info: () => undefined,
    error: (message: string, fields?: object) => console.error(message, JSON.stringify(fields)),
  };
  const { synced, stopped } = startScheduler({ client, signal: stop.signal, log });
  await synced;
  return {
    async stop() {
      stop.abort();
      await stopped;
      await client.close();
    },
  };
}
