import { join } from 'node:path';
import { freePort } from '@apichain/meta';
import { Process } from './processes.ts';

const readyTimeoutMs = 60_000;

/** Starts an etcd with its data and its log in `dir`, which serves clients at `url`. Throws Error when it is not ready in time. */
export async function startEtcd(program: string, dir: string, url: string): Promise<Process> {
  const peer = `http://127.0.0.1:${await freePort()}`;
  const args = [
    `--data-dir=${join(dir, 'etcd')}`,
    `--listen-client-urls=${url}`,
    `--advertise-client-urls=${url}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
  ];
  const etcd = new Process(program, args, join(dir, 'etcd.log'));
  await etcd.until(() => answers(`${url}/health`), readyTimeoutMs);
  return etcd;
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).ok;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}
