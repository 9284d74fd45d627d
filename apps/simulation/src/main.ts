import { lookup } from 'node:dns/promises';
import { readFileSync } from 'node:fs';
import { errorText, httpTransport, jsonLogger, loadKubeconfig } from '@apichain/client';
import { serveHealth, type ControllersState } from '@apichain/controllers';
import {
  helpText,
  parseSimulationFlags,
  readStageFiles,
  startSimulation,
  type SimulationFlags,
} from '@apichain/simulation';

/** Enough for the requests that 1,000 nodes make at a time; a watch occupies one. */
const connections = 256;

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
  let state: ControllersState = 'starting';
  if (flags.healthAddress !== undefined) await serveHealth(flags.healthAddress, () => state);
  const target = loadKubeconfig(flags.kubeconfig);
  const log = jsonLogger('simulation', (line) => process.stdout.write(line));
  const { requestHeaderCaFile, scheduler, leaderElect } = flags;
  const kubelet = flags.kubelet && { ...flags.kubelet, address: await addressOf(flags.kubelet.address) };
  const simulation = startSimulation({
    connect: (userAgent) => httpTransport({ ...target, connections, userAgent }),
    signal: stop.signal,
    log,
    nodes: flags.nodes,
    nodesElected: leaderElect,
    stages: readStageFiles(flags.stages),
    scheduler: !scheduler ? 'none' : leaderElect ? 'elected' : 'alone',
    ...(kubelet === undefined ? {} : servingOf(kubelet, requestHeaderCaFile)),
  });
  await simulation.synced;
  state = 'ready';
  process.send?.('ready');
  log.info('the simulation is ready', { nodes: flags.nodes });
  await simulation.stopped;
  return 0;
}

/** The address of a host name: Nodes have addresses. Rejects for a name that cannot be resolved. */
const addressOf = async (host: string): Promise<string> => (await lookup(host)).address;

/** What the kubelets, and the metrics if their clients are known, are served with. */
function servingOf(kubelet: NonNullable<SimulationFlags['kubelet']>, requestHeaderCaFile: string | undefined) {
  const { address, certFile, keyFile, clientCaFile } = kubelet;
  const [certificate = '', key = '', ca = ''] = [certFile, keyFile, clientCaFile].map((file) =>
    readFileSync(file, 'utf8'),
  );
  const serving = { address, certificate, key };
  if (requestHeaderCaFile === undefined) return { kubelet: { ...serving, clientCa: ca } };
  const metrics = { ...serving, caBundle: ca, clientCa: readFileSync(requestHeaderCaFile, 'utf8') };
  return { kubelet: { ...serving, clientCa: ca }, metrics };
}

try {
  // Remaining idle connections and timers must not delay the exit.
  process.exit(await main(process.argv.slice(2)));
} catch (error) {
  process.stderr.write(`simulation: ${errorText(error)}\n`);
  process.exit(1);
}
