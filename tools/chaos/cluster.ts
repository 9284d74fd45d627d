import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectEtcd, type EtcdConnection } from '@apichain/etcd-client';
import { freePort } from '@apichain/meta';

const startTimeoutMs = 30_000;
const askTimeoutMs = 1_000;
const pollMs = 20;

interface Member {
  readonly url: string;
  readonly args: readonly string[];
  readonly connection: EtcdConnection;
  child: ChildProcess;
  isStopped: boolean;
}

/** The effect of a fault on a member: `kill` ends it as a crash would, `stop` suspends it. */
export type Fault = 'kill' | 'stop';

/** Three etcd processes on loopback. Members are identified by their index. */
export class EtcdCluster {
  readonly #binary: string;
  readonly #directory: string;
  readonly #members: readonly Member[];

  private constructor(binary: string, directory: string, members: readonly Member[]) {
    this.#binary = binary;
    this.#directory = directory;
    this.#members = members;
  }

  /** Starts the members. Throws Error when they have no leader in time. */
  static async start(binary: string): Promise<EtcdCluster> {
    const directory = mkdtempSync(join(tmpdir(), 'apichain-chaos-'));
    const ports = await Promise.all(Array.from({ length: 6 }, () => freePort()));
    const url = (port: number | undefined) => `http://127.0.0.1:${String(port)}`;
    const peers = ports.slice(3).map(url);
    const initialCluster = peers.map((peer, index) => `m${String(index)}=${peer}`).join(',');
    const members = ports.slice(0, 3).map((port, index): Member => {
      const args = [
        ...['--name', `m${String(index)}`, '--data-dir', join(directory, `m${String(index)}`), '--log-level', 'error'],
        ...['--listen-client-urls', url(port), '--advertise-client-urls', url(port)],
        ...['--listen-peer-urls', peers[index] ?? '', '--initial-advertise-peer-urls', peers[index] ?? ''],
        ...['--initial-cluster', initialCluster],
      ];
      const connection = connectEtcd({ servers: [url(port)], prefix: '', callTimeout: askTimeoutMs });
      return { url: url(port), args, connection, child: run(binary, args), isStopped: false };
    });
    const cluster = new EtcdCluster(binary, directory, members);
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
    throw new Error('the etcd members have no leader');
  }

  fail(index: number, fault: Fault): void {
    const member = this.#member(index);
    member.isStopped = true;
    member.child.kill(fault === 'kill' ? 'SIGKILL' : 'SIGSTOP');
  }

  /** Reverts a fault: starts or resumes the member. */
  restore(index: number): void {
    const member = this.#member(index);
    if (member.child.exitCode === null && member.child.signalCode === null) member.child.kill('SIGCONT');
    else member.child = run(this.#binary, member.args);
    member.isStopped = false;
  }

  async close(): Promise<void> {
    for (const { child, connection } of this.#members) {
      await connection.close();
      if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) continue;
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    }
    rmSync(this.#directory, { recursive: true, force: true });
  }

  #member(index: number): Member {
    const member = this.#members[index];
    if (member === undefined) throw new Error(`there is no etcd member ${String(index)}`);
    return member;
  }

  async #leader(): Promise<number | undefined> {
    const answers = await Promise.all(
      this.#members.map(async ({ isStopped, connection }, index) => {
        if (isStopped) return undefined;
        const { header, leader } = await connection.status().catch(() => ({ header: undefined, leader: '0' }));
        return { index, id: header?.memberId, leader };
      }),
    );
    const running = answers.filter((answer) => answer !== undefined);
    const leader = running.find(({ id, leader }) => id === leader);
    return leader !== undefined && running.every((answer) => answer.leader === leader.id) ? leader.index : undefined;
  }
}

function run(binary: string, args: readonly string[]): ChildProcess {
  const child = spawn(binary, args, { stdio: 'ignore' });
  // If the process cannot be created, the cluster has no leader. That is reported.
  child.once('error', (error) => console.error(`chaos: ${binary}: ${error.message}`));
  return child;
}
