import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startEmbeddedEtcd, type EmbeddedEtcd } from '@apichain/embedded-etcd';
import { freePort } from '@apichain/meta';
import { connectEtcd } from './etcd-client.ts';

/** An etcd for one test, with its data in a temporary directory. */
export interface TestEtcd {
  readonly url: string;
  /** Kills the process as a crash would. */
  kill(): Promise<void>;
  /** Starts etcd again on the same address; `wipe` removes the data first. */
  start(options?: { wipe?: boolean }): Promise<void>;
  /** Stops etcd and removes its data. */
  close(): Promise<void>;
}

/** Used in place of a path to a binary: the embedded etcd, in a separate process so that it can be killed. */
const embedded = 'embedded';
const isEmbeddedChosen = process.env['APICHAIN_ETCD_ENGINE'] === embedded;

/** The embedded etcd in this process, reached without a connection. */
const inProcess = 'in process';

/**
 * The etcd binaries to test with, by name: the one on the PATH, those listed in APICHAIN_ETCD (paths, separated by colons), and the embedded one in
 * this process. With APICHAIN_ETCD_ENGINE=embedded, only the embedded etcd, in a separate process.
 */
export function etcdBinaries(): Readonly<Record<string, string>> {
  if (isEmbeddedChosen) return { [embedded]: embedded };
  const listed = (process.env['APICHAIN_ETCD'] ?? '').split(':').filter((path) => path !== '' && existsSync(path));
  return Object.fromEntries([
    ['etcd', 'etcd'],
    ['the embedded etcd in process', inProcess],
    ...listed.map((path) => [path, path]),
  ]) as Record<string, string>;
}

async function untilHealthy(url: string, child: ChildProcess): Promise<void> {
  const connection = connectEtcd({ servers: [url], prefix: '/health' });
  try {
    for (let attempt = 0; attempt < 200; attempt++) {
      if (child.exitCode !== null) throw new Error(`etcd exited with ${String(child.exitCode)}`);
      const healthy = await connection.checkHealth(500).then(
        () => true,
        () => false,
      );
      if (healthy) return;
      await delay(50);
    }
    throw new Error('etcd did not become healthy');
  } finally {
    await connection.close();
  }
}

async function startInProcess(): Promise<TestEtcd> {
  const directory = mkdtempSync(join(tmpdir(), 'apichain-etcd-'));
  const dataDir = join(directory, 'data');
  const listen = { socketPath: join(directory, 'etcd.sock') };
  let etcd: EmbeddedEtcd | undefined;
  const kill = async () => etcd?.close();
  const start = async ({ wipe = false } = {}) => {
    if (wipe) rmSync(dataDir, { recursive: true, force: true });
    etcd = await startEmbeddedEtcd({ dataDir, listen, inProcess: true });
  };
  await start();
  return {
    url: `unix://${listen.socketPath}`,
    kill,
    start,
    close: async () => {
      await kill();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Starts `binary`. Throws when it cannot be run or does not become healthy within ten seconds. */
export async function startTestEtcd(binary = isEmbeddedChosen ? embedded : 'etcd'): Promise<TestEtcd> {
  if (binary === inProcess) return startInProcess();
  const dataDirectory = mkdtempSync(join(tmpdir(), 'apichain-etcd-'));
  const url = `http://127.0.0.1:${String(await freePort())}`;
  const peerUrl = `http://127.0.0.1:${String(await freePort())}`;
  const etcdArguments = [
    ...['--name', 'test', '--data-dir', join(dataDirectory, 'data'), '--initial-cluster', `test=${peerUrl}`],
    ...['--listen-client-urls', url, '--advertise-client-urls', url],
    ...['--listen-peer-urls', peerUrl, '--initial-advertise-peer-urls', peerUrl],
  ];
  const program = fileURLToPath(import.meta.resolve('@apichain/embedded-etcd/serve'));
  const embeddedArguments = [program, '--data-dir', join(dataDirectory, 'data'), '--listen-client-urls', url];
  const command = binary === embedded ? process.execPath : binary;
  const commandArguments = binary === embedded ? embeddedArguments : etcdArguments;
  let child: ChildProcess | undefined;

  const kill = async () => {
    const running = child;
    child = undefined;
    if (running === undefined || running.exitCode !== null || running.signalCode !== null) return;
    const exited = once(running, 'exit');
    running.kill('SIGKILL');
    await exited;
  };
  const start = async ({ wipe = false } = {}) => {
    if (wipe) rmSync(join(dataDirectory, 'data'), { recursive: true, force: true });
    child = spawn(command, commandArguments, { stdio: 'ignore' });
    const failed = once(child, 'error').then(([error]: unknown[]) => {
      throw error;
    });
    await Promise.race([untilHealthy(url, child), failed]);
  };
  await start();
  return {
    url,
    kill,
    start,
    close: async () => {
      await kill();
      rmSync(dataDirectory, { recursive: true, force: true });
    },
  };
}
