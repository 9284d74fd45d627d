import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectEtcd, type EtcdConnection } from '@apichain/etcd-client';
import { etcdCommand, type EtcdMember } from '../servers/etcd.ts';
import { Process } from '../servers/process.ts';
import { mountSmallDisk, unmountDisk, type Host, type Network } from './network.ts';

const startTimeoutMs = 30_000;
const askTimeoutMs = 1_000;
const pollMs = 20;
/** Room for the log segments that etcd keeps and the database of an hour. */
const diskBytes = 800 * 1024 * 1024;
const clientPort = 2379;
const peerPort = 2380;

/** A member of the cluster. */
export interface Member {
  readonly host: Host;
  readonly dataDir: string;
  readonly url: string;
  readonly process: Process;
  readonly connection: EtcdConnection;
  /** Whether it takes no part in the cluster, by a fault. */
  isAway: boolean;
}

/** Three etcd processes. */
export class EtcdCluster {
  readonly members: readonly Member[];

  readonly #network: Network;

  private constructor(members: readonly Member[], network: Network) {
    this.members = members;
    this.#network = network;
  }

  /** Starts the members with their data in `directory`. Throws Error when they have no leader in time. */
  static async start(binary: string, directory: string, network: Network): Promise<EtcdCluster> {
    const places: (EtcdMember & { readonly host: Host })[] = [];
    for (const name of ['etcd-1', 'etcd-2', 'etcd-3']) {
      const host = network.host(name, 'etcd');
      const url = async (port: number) => `http://${host.address}:${String(await network.port(port))}`;
      const dataDir = join(directory, name);
      places.push({ name, host, dataDir, clientUrl: await url(clientPort), peerUrl: await url(peerPort) });
    }
    const members = places.map((place): Member => {
      const { host, dataDir, clientUrl } = place;
      if (network.hasHosts) mountSmallDisk(dataDir, diskBytes);
      const command = [...etcdCommand(binary, place, places), '--log-level=error', '--max-wals=2', '--max-snapshots=2'];
      const connection = connectEtcd({ servers: [clientUrl], prefix: '', callTimeoutMs: askTimeoutMs });
      const process = new Process([...host.prefix, ...command], `${dataDir}.log`).start();
      return { host, dataDir, url: clientUrl, connection, process, isAway: false };
    });
    const cluster = new EtcdCluster(members, network);
    try {
      await cluster.untilLed(startTimeoutMs);
      return cluster;
    } catch (error) {
      await cluster.close();
      throw error;
    }
  }

  get urls(): readonly string[] {
    return this.members.map(({ url }) => url);
  }

  /** Resolves to the leader when it is running and every member that is not away knows it. Throws Error after the timeout. */
  async untilLed(timeoutMs: number): Promise<Member> {
    const deadline = performance.now() + timeoutMs;
    while (performance.now() < deadline) {
      const leader = await this.#leader();
      if (leader !== undefined) return leader;
      await sleep(pollMs);
    }
    const failures = this.members.flatMap(({ process: { failure } }) => failure ?? []);
    throw new Error(['the etcd members have no leader', ...failures].join('; '));
  }

  async close(): Promise<void> {
    for (const { process, connection, dataDir } of this.members) {
      await connection.close();
      await process.stop('SIGKILL');
      if (this.#network.hasHosts) unmountDisk(dataDir);
    }
  }

  async #leader(): Promise<Member | undefined> {
    const statuses = await Promise.all(
      this.members.map(async (member) => {
        if (member.isAway) return undefined;
        const { header, leader } = await member.connection.status().catch(() => ({ header: undefined, leader: '0' }));
        return { member, id: header?.memberId, leader };
      }),
    );
    const running = statuses.filter((status) => status !== undefined);
    const leader = running.find(({ id, leader }) => id === leader);
    return leader !== undefined && running.every((status) => status.leader === leader.id) ? leader.member : undefined;
  }
}
