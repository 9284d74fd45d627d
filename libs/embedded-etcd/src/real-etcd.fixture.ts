import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '@apichain/meta';
import { testClient } from './server.fixture.ts';

/** The path of one of etcd's programs on the PATH, or undefined. */
export function findProgram(name: string): string | undefined {
  const paths = (process.env['PATH'] ?? '').split(delimiter).map((directory) => join(directory, name));
  return paths.find((path) => existsSync(path));
}

/** The etcd to compare with: the newest that APICHAIN_ETCD lists, or the one on the PATH. */
export function realEtcdProgram(): string | undefined {
  const listed = (process.env['APICHAIN_ETCD'] ?? '').split(':').filter((path) => path !== '' && existsSync(path));
  return listed.at(-1) ?? findProgram('etcd');
}

export interface RealEtcd {
  readonly url: string;
  readonly dataDir: string;
  /** Kills the process and keeps its files. */
  kill(): Promise<void>;
  /** Kills the process and removes its files. */
  close(): Promise<void>;
}

/** Starts a real etcd, by default with empty data. Throws when it does not respond within ten seconds. */
export async function startRealEtcd(
  program: string,
  restored?: { readonly dataDir: string },
  flags: readonly string[] = [],
): Promise<RealEtcd> {
  const directory = mkdtempSync(join(tmpdir(), 'apichain-etcd-'));
  const dataDir = restored?.dataDir ?? join(directory, 'data');
  const url = `http://127.0.0.1:${String(await freePort())}`;
  const peer = `http://127.0.0.1:${String(await freePort())}`;
  const options = [
    ...['--name', 'real', '--data-dir', dataDir, '--initial-cluster', `real=${peer}`],
    ...['--listen-client-urls', url, '--advertise-client-urls', url],
    ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer],
    ...flags,
  ];
  const child = spawn(program, options, { stdio: 'ignore' });
  const exited = once(child, 'exit');
  const client = testClient(url);
  const kill = async () => {
    child.kill('SIGKILL');
    await exited;
  };
  try {
    for (let attempt = 0; ; attempt++) {
      const responds = await client.range({ key: Buffer.from('health') }).then(
        () => true,
        () => false,
      );
      if (responds) break;
      if (attempt === 200) {
        await kill();
        throw new Error(`${program} does not respond`);
      }
      await delay(50);
    }
  } finally {
    client.close();
  }
  return {
    url,
    dataDir,
    kill,
    close: async () => {
      await kill();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
