import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { requestLocal } from '../local-request.ts';
import type { DataDirectory } from './data-directory.ts';
import { StartupError } from '@apichain/chain/setup';
import { freePort } from '@apichain/meta';
import { storeProbe } from './store-probe.ts';
import { SupervisedProcess } from './supervisor.ts';

const startTimeoutMs = 30_000;

/** Whether a directory holds the data of a real etcd. */
export function isEtcdDirectory(directory: string): boolean {
  return existsSync(join(directory, 'member'));
}

/**
 * The first executable `etcd` on the PATH. Throws StartupError when there is none. The message starts with `advice` and then says how to
 * install etcd.
 */
export function findEtcd(advice: string, environment: NodeJS.ProcessEnv = process.env): string {
  const candidates = (environment['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'etcd'));
  const found = candidates.find(isExecutable);
  if (found !== undefined) return found;
  throw new StartupError(
    `etcd was not found on the PATH: ${advice} install it (Debian: apt-get install etcd-server; macOS: brew install etcd)`,
  );
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Starts `command`, a single-member etcd, on loopback with the data directory. Waits until it responds. */
export async function startEtcd(
  directory: Pick<DataDirectory, 'etcd' | 'logs'>,
  command: string,
  onRestart: (text: string) => void,
): Promise<{ process: SupervisedProcess; url: string }> {
  const client = `http://127.0.0.1:${await freePort()}`;
  const peer = `http://127.0.0.1:${await freePort()}`;
  const etcd = new SupervisedProcess(
    {
      name: 'etcd',
      command,
      args: [
        '--name=apichain',
        `--data-dir=${directory.etcd}`,
        `--listen-client-urls=${client}`,
        `--advertise-client-urls=${client}`,
        `--listen-peer-urls=${peer}`,
        `--initial-advertise-peer-urls=${peer}`,
        `--initial-cluster=apichain=${peer}`,
        '--logger=zap',
        '--log-level=warn',
        '--auto-compaction-retention=0',
        '--quota-backend-bytes=8589934592',
      ],
      logFile: join(directory.logs, 'etcd.log'),
      probe: storeProbe(client),
    },
    onRestart,
  );
  let failure: string | undefined;
  void etcd.failedToStart.then((why) => (failure = why));
  for (const deadline = Date.now() + startTimeoutMs; ; await sleep(20)) {
    if (failure !== undefined) {
      await etcd.stop(0);
      throw new StartupError(`etcd did not start on ${directory.etcd} (${failure}): ${lastMessage(etcd.output)}`);
    }
    if (await isHealthy(client)) break;
    if (Date.now() > deadline) {
      await etcd.stop(1_000);
      throw new StartupError(
        `etcd did not become healthy within ${startTimeoutMs / 1000} s: see ${join(directory.logs, 'etcd.log')}`,
      );
    }
  }
  etcd.settle({ hasResponded: true });
  return { process: etcd, url: client };
}

const isHealthy = (url: string): Promise<boolean> =>
  requestLocal(`${url}/health`, { timeoutMs: 1_000 }).then(
    ({ status, body }) => status === 200 && body.includes('true'),
    () => false,
  );

/** etcd logs lines of JSON. Returns the message of the last error, otherwise the text of a panic or the last line as it is. */
function lastMessage(output: readonly string[]): string {
  const structured = output.filter((line) => /"level":"(fatal|panic|error)"/.test(line)).at(-1);
  const line = structured ?? output.find((text) => text.startsWith('panic:')) ?? output.at(-1) ?? 'no output';
  try {
    const entry = JSON.parse(line) as { msg?: string; error?: string };
    return [entry.msg, entry.error].filter((text) => text !== undefined).join(': ');
  } catch {
    return line;
  }
}
