import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Neighbour } from '../fuzz/stalls/neighbour.ts';
import { forgetPeak, peakMb, residentMb } from '../servers/processes.ts';
import { Server, type ServerDescription } from '../servers/server.ts';
import type { BenchClient } from './exchange.ts';
import { create, createNamespace } from './prepare.ts';

/** The user whose requests may disturb others, and the one who is disturbed. Each has a token of the same name. */
export const loadUser = 'reader';
const neighbourUser = 'neighbour';
const users = [loadUser, neighbourUser];
/** In milliseconds: a server that is ready goes on with work of its start, whose memory is not that of requests. */
const startMs = 5_000;
const neighbourTimeoutMs = 120_000;

/** What others noticed of the requests of one user. */
export interface Disturbance {
  /** The longest wait of another user for a small object, in milliseconds. */
  readonly waitMs: number;
  /** How many requests of the other user failed. */
  readonly failed: number;
  /** By how much the memory of all processes has grown at most. NaN if one has ended. */
  readonly memoryMb: number;
  /** Whether a process of the server has ended. */
  readonly ended: boolean;
}

/** A server of which one user asks much, and a second user whose waits are measured. */
export class DisturbedServer {
  readonly server: Server;
  readonly #neighbour: Neighbour;

  private constructor(server: Server) {
    this.server = server;
    this.#neighbour = new Neighbour({
      target: {
        url: server.url,
        token: neighbourUser,
        insecureSkipTlsVerify: true,
        timeout: neighbourTimeoutMs,
        connections: 1,
      },
      paths: ['/api/v1/namespaces/bench-neighbour/configmaps/mine'],
      pids: [],
    });
  }

  /** Starts a server with a store of its own. Throws Error when it is not ready in time. */
  static async start(
    { command }: ServerDescription,
    { etcd, flags = [] }: { readonly etcd: string; readonly flags?: readonly string[] },
  ): Promise<DisturbedServer> {
    const tokens = users.map((user) => `${user},${user},${user}`);
    return new DisturbedServer(await Server.start({ command: [...command, ...flags], etcdBinary: etcd, tokens }));
  }

  /** Gives both users all rights, stores the small object, and waits until the server has done the work of its start. Throws Error when a write is refused. */
  async prepare(client: BenchClient): Promise<void> {
    const group = 'rbac.authorization.k8s.io';
    for (const user of users) {
      const roleRef = { apiGroup: group, kind: 'ClusterRole', name: 'cluster-admin' };
      const subjects = [{ apiGroup: group, kind: 'User', name: user }];
      const binding = { metadata: { name: `bench-${user}` }, roleRef, subjects };
      await create(client, `/apis/${group}/v1/clusterrolebindings`, binding);
    }
    await createNamespace(client, 'bench-neighbour');
    await create(client, '/api/v1/namespaces/bench-neighbour/configmaps', { metadata: { name: 'mine' } });
    await sleep(startMs);
  }

  /** Runs the work, after so many milliseconds in which memory and connections of earlier work are given back. */
  async measure<Result>(
    settleMs: number,
    work: () => Promise<Result>,
  ): Promise<{ readonly result: Result; readonly disturbance: Disturbance }> {
    await sleep(settleMs);
    const { pids } = this.server;
    pids.forEach(forgetPeak);
    const before = residentMb(pids);
    await this.#neighbour.begin();
    const result = await work();
    const waits = await this.#neighbour.end();
    const after = this.server.pids;
    const ended = pids.some((pid) => !after.includes(pid) || !existsSync(`/proc/${pid}`));
    const memoryMb = ended ? Number.NaN : peakMb(pids) - before;
    return { result, disturbance: { waitMs: waits.longest, failed: waits.failed, memoryMb, ended } };
  }

  async stop(): Promise<void> {
    await this.#neighbour.stop();
    await this.server.stop();
  }
}

/** A cell of a table: the disturbance, and in words what was done. */
export function cellOf({ waitMs, failed, memoryMb, ended }: Disturbance, done: string): string {
  const parts = [`${waitMs.toFixed(0)} ms`, `+${Math.max(0, memoryMb).toFixed(0)} MB`, done];
  if (failed > 0) parts.push(`${failed} of the neighbour's requests failed`);
  if (ended) parts.push('a process ended');
  return parts.join('; ');
}

/** Cells by what was measured and by target. */
export class Cells {
  readonly #rows = new Map<string, Map<string, string>>();

  set(row: string, target: string, cell: string): void {
    console.error(`${target}: ${row}: ${cell}`);
    this.#rows.set(row, (this.#rows.get(row) ?? new Map<string, string>()).set(target, cell));
  }

  /** The rows of a table, without its head. */
  rows(targets: readonly string[]): string[][] {
    return [...this.#rows].map(([row, cells]) => [row, ...targets.map((name) => cells.get(name) ?? 'not measured')]);
  }
}
