import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { httpTransport, loadKubeconfig, RestClient } from '@apichain/client';
import { errorText, jsonLogger, runWhileLeading } from '@apichain/controllers';
import { helpText, parseSimulationFlags, readStageFiles, startSimulation } from '@apichain/simulation';

/** Enough for the requests that 1,000 nodes make at a time; a watch occupies one. */
const connections = 256;

/** The Lease and the times of kube-scheduler, so that a real one may take over. */
const lease = {
  namespace: 'kube-system',
  name: 'kube-scheduler',
  leaseDurationMs: 15_000,
  renewDeadlineMs: 10_000,
  retryPeriodMs: 2_000,
};

async function main(args: readonly string[]): Promise<number> {
  const flags = parseSimulationFlags(args);
  if (flags.help) {
    process.stdout.write(helpText);
    return 0;
  }
  const stop = new AbortController();
  for (const event of ['SIGTERM', 'SIGINT', 'disconnect']) process.on(event, () => stop.abort());
  // If a parent (apichain up) opened a channel, `disconnect` stops this process when the parent dies. The channel must not keep the process alive.
  process.channel?.unref();
  const target = loadKubeconfig(flags.kubeconfig);
  const connect = (userAgent: string) => httpTransport({ ...target, connections, userAgent });
  const log = jsonLogger('simulation', (line) => process.stdout.write(line));
  let isLost = false;
  const schedule = async (lead: (signal: AbortSignal) => Promise<void>): Promise<void> => {
    if (!flags.leaderElect) return lead(stop.signal);
    const client = new RestClient(connect('kube-scheduler/v1.36.0 (apichain)'));
    const identity = `${hostname()}_${randomUUID()}`;
    const outcome = await runWhileLeading({ client, log, signal: stop.signal, identity, ...lease }, lead);
    await client.close();
    isLost = outcome === 'lost';
    stop.abort();
  };
  const { kubelet } = flags;
  const simulation = startSimulation({
    connect,
    signal: stop.signal,
    log,
    nodes: flags.nodes,
    stages: readStageFiles(flags.stages),
    ...(flags.scheduler ? { schedule } : {}),
    ...(kubelet === undefined
      ? {}
      : {
          kubelet: {
            address: kubelet.address,
            certificate: readFileSync(kubelet.certFile, 'utf8'),
            key: readFileSync(kubelet.keyFile, 'utf8'),
            clientCa: readFileSync(kubelet.clientCaFile, 'utf8'),
          },
        }),
  });
  await simulation.synced;
  log.info('nodes are registered', { nodes: flags.nodes });
  await simulation.stopped;
  return isLost ? 1 : 0;
}

try {
  // Remaining idle connections and timers must not delay the exit.
  process.exit(await main(process.argv.slice(2)));
} catch (error) {
  process.stderr.write(`simulation: ${errorText(error)}\n`);
  process.exit(1);
}
