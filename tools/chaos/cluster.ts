import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectEtcd, type EtcdConnection } from '@apichain/etcd-client';
import { etcdCommand, freeUrl } from '../servers/etcd.ts';
import { Process } from '../servers/process.ts';

const startTimeoutMs = 30_000;
const askTimeoutMs = 1_000;
const pollMs = 20;

interface Member {
  readonly url: string;
  readonly connection: EtcdConnection;
  readonly process: Process;
  isStopped: boolean;
}

/** The effect of a fault on a member: `kill` ends it as a crash would, `stop` suspends it. */
export type Fault = 'kill' | 'stop';

/** Three etcd processes on loopback. Members are identified by their index. */
export class EtcdCluster {
  readonly #directory: string;
  readonly #members: readonly Member[];

  private constructor(directory: string, members: readonly Member[]) {
    this.#directory = directory;
    this.#members = members;
  }

  /** Starts the members. Throws Error when they have no leader in time. */
  static async start(binary: string): Promise<EtcdCluster> {
    const directory = mkdtempSync(join(tmpdir(), 'apichain-chaos-'));
    const places = await Promise.all(
      ['m0', 'm1', 'm2'].map(async (name) => ({
        ...{ name, dataDir: join(directory, name), clientUrl: await freeUrl(), peerUrl: await freeUrl() },
      })),
    );
    const members = places.map((place): Member => {
      const url = place.clientUrl;
      const command = [...etcdCommand(binary, place, places), '--log-level=error'];
      const connection = connectEtcd({ servers: [url], prefix: '', callTimeoutMs: askTimeoutMs });
      return { url, connection, process: new Process(command, `${place.dataDir}.log`).start(), isStopped: false };
    });
    const cluster = new EtcdCluster(directory, members);
    try {
      await cluster.untilLed(startTimeoutMs);
      return cluster;
    } catch (error) {
      await cluster.close();
      throw error;
    }
  }

  get urls(): readonly string[] {
    return this.#members.map(({ url }) => url);
  }

  /** Resolves to the leader when it is running and every running member knows it. Throws Error after the timeout. */
  async untilLed(timeoutMs: number): Promise<number> {
    const deadline = performance.now() + timeoutMs;
    while (performance.now() < deadline) {
      const leader = await this.#leader();
      if (leader !== undefined) return leader;
      await sleep(pollMs);
    }
    const failures = this.#members.flatMap(({ process: { failure } }) => failure ?? []);
    throw new Error(['the etcd members have no leader', ...failures].join('; '));
  }

  async fail(index: number, fault: Fault): Promise<void> {
    const member = this.#member(index);
    member.isStopped = true;
    if (fault === 'stop') member.process.signal('SIGSTOP');
    else await member.process.stop('SIGKILL');
  }

  /** Reverts a fault: starts or resumes the member. */
  restore(index: number): void {
    const member = this.#member(index);
    if (member.process.failure === undefined) member.process.signal('SIGCONT');
    else member.process.start();
    member.isStopped = false;
  }

  async close(): Promise<void> {
    for (const { process, connection } of this.#members) {
      await connection.close();
      await process.stop('SIGKILL');
    }
    rmSync(this.#directory, { recursive: true, force: true });
  }

  #member(index: number): Member {
    const member = this.#members[index];
    if (member === undefined) throw new Error(`there is no etcd member ${String(index)}`);
    return member;
  }

  async #leader(): Promise<number | undefined> {
    const statuses = await Promise.all(
      this.#members.map(async ({ isStopped, connection }, index) => {
        if (isStopped) return undefined;
        const { header, leader } = await connection.status().catch(() => ({ header: undefined, leader: '0' }));
        return { index, id: header?.memberId, leader };
      }),
    );
    const running = statuses.filter((status) => status !== undefined);
    const leader = running.find(({ id, leader }) => id === leader);
    return leader !== undefined && running.every((status) => status.leader === leader.id) ? leader.index : undefined;
  }
}
