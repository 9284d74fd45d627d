import { type KeyObject, createPrivateKey, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { RestClient, errorText, httpTransport, jsonLogger, loadKubeconfig, runWhileLeading } from '@apichain/client';
import { type ControllersFlags, helpText, parseControllersFlags } from '@apichain/controllers';
import { serveHealth, type ControllersState } from '@apichain/controllers';
import { startControllers } from '@apichain/controllers';
import { readCertificatePair } from '@apichain/serving/certificate-files';
import { controllersUserAgent } from '@apichain/controllers/user-agent';

/** Every watch holds a connection. The limit leaves room for custom resources. */
const connections = 4096;

async function main(args: readonly string[]): Promise<number> {
  const flags = parseControllersFlags(args);
  if (flags.help) {
    process.stdout.write(helpText);
    return 0;
  }
  return serve(flags);
}

async function serve(flags: ControllersFlags): Promise<number> {
  const stop = new AbortController();
  for (const event of ['SIGTERM', 'SIGINT', 'disconnect']) process.on(event, () => stop.abort());
  // If a parent (apichain up) opened a channel, `disconnect` stops this process when the parent dies. The channel must not keep the process
  // alive.
  process.channel?.unref();
  const configured = loadKubeconfig(flags.kubeconfig);
  const target = flags.master === undefined ? configured : { ...configured, url: flags.master };
  const client = new RestClient(httpTransport({ ...target, connections, userAgent: controllersUserAgent }));
  const rootCa = flags.rootCaFile === undefined ? target.ca : readFileSync(flags.rootCaFile, 'utf8');
  const tokenKey = readKey(flags.serviceAccountPrivateKeyFile);
  const signer = flags.clusterSigning && readCertificatePair(flags.clusterSigning);
  const log = jsonLogger('controllers', (line) => process.stdout.write(line));
  let state: ControllersState = 'starting';
  const { healthAddress } = flags;
  const health = healthAddress === undefined ? undefined : await serveHealth(healthAddress, () => state);
  if (health !== undefined) log.info('health checks are served', { port: health.port });
  const lead = async (signal: AbortSignal) => {
    state = 'syncing';
    const running = startControllers({
      client,
      signal,
      log,
      controllers: flags.controllers,
      rootCa,
      tokenKey,
      signer,
      settings: flags.settings,
    });
    void running.synced.then(() => {
      state = 'ready';
      log.info('controllers are in sync');
    });
    await running.stopped;
  };
  if (!flags.leaderElect) {
    await lead(stop.signal);
    return 0;
  }
  const outcome = await runWhileLeading(
    {
      client,
      log,
      signal: stop.signal,
      identity: `${hostname()}_${randomUUID()}`,
      namespace: flags.leaseNamespace,
      name: flags.leaseName,
      leaseDurationMs: flags.leaseDurationMs,
      renewDeadlineMs: flags.renewDeadlineMs,
      retryPeriodMs: flags.retryPeriodMs,
      onStandby: () => (state = 'standby'),
    },
    lead,
  );
  return outcome === 'lost' ? 1 : 0;
}

function readKey(file: string | undefined): KeyObject | undefined {
  return file === undefined || file === '' ? undefined : createPrivateKey(readFileSync(file));
}

try {
  // Remaining idle connections and timers must not delay the exit.
  process.exit(await main(process.argv.slice(2)));
} catch (error) {
  process.stderr.write(`controllers: ${errorText(error)}\n`);
  process.exit(1);
}
