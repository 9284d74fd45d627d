import { join } from 'node:path';
import { freePort } from '@apichain/meta';
import { isOk } from './get.ts';
import { Process } from './process.ts';

const readyTimeoutMs = 60_000;
const pollMs = 5;

/** A member of an etcd cluster: where its data is, and where it serves clients and the other members. */
export interface EtcdMember {
  readonly name: string;
  readonly dataDir: string;
  readonly clientUrl: string;
  readonly peerUrl: string;
}

/** The command of one of the members of an etcd cluster. */
export function etcdCommand(program: string, member: EtcdMember, members: readonly EtcdMember[]): string[] {
  return [
    program,
    `--name=${member.name}`,
    `--data-dir=${member.dataDir}`,
    `--listen-client-urls=${member.clientUrl}`,
    `--advertise-client-urls=${member.clientUrl}`,
    `--listen-peer-urls=${member.peerUrl}`,
    `--initial-advertise-peer-urls=${member.peerUrl}`,
    `--initial-cluster=${members.map(({ name, peerUrl }) => `${name}=${peerUrl}`).join(',')}`,
  ];
}

/** A URL on a free port of this machine. */
export const freeUrl = async (): Promise<string> => `http://127.0.0.1:${await freePort()}`;

/** An etcd that runs. */
export interface Etcd {
  readonly url: string;
  readonly process: Process;
  /** Milliseconds from the start of the process until it was ready. */
  readonly readyMs: number;
}

/** Starts an etcd with its data and its log in `dir`. Throws Error when it is not ready in time. Nothing keeps running in that case. */
export async function startEtcd(program: string, dir: string, flags: readonly string[] = []): Promise<Etcd> {
  const url = await freeUrl();
  const member = { name: 'default', dataDir: join(dir, 'etcd'), clientUrl: url, peerUrl: await freeUrl() };
  const etcd = new Process([...etcdCommand(program, member, [member]), ...flags], join(dir, 'etcd.log')).start();
  try {
    return { url, process: etcd, readyMs: await etcd.until(isOk(`${url}/health`), readyTimeoutMs, pollMs) };
  } catch (error) {
    await etcd.stop();
    throw error;
  }
}
