import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { hasErrorCode } from '@apichain/meta';
import type { ServerCredentials } from '../../servers/stand-ins.ts';
import { Server } from '../../servers/server.ts';
import type { TargetOptions } from '../target.ts';

export interface ChainOptions {
  /** Whether the chain runs as three services and a store, instead of one process. */
  readonly services: boolean;
  /** Whether objects are also stored and read as CBOR. */
  readonly cbor?: boolean;
  /** The port to serve on. Default: any free port. */
  readonly port?: number;
}

/** The users that send requests. The token of each user is its name. */
const users = [
  'admin,admin,admin,"system:masters"',
  'attacker,attacker,attacker',
  'tenant,tenant,tenant',
  'neighbour,neighbour,neighbour',
] as const;
export type User = 'admin' | 'attacker' | 'tenant' | 'neighbour';

/** A separate chain with new data, which is deleted afterwards. */
export class Chain {
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  /** Starts a chain. Throws Error when it does not become ready. */
  static async start({ services, cbor = false, port }: ChainOptions): Promise<Chain> {
    const command = [
      ...[process.execPath, resolve(import.meta.dirname, '../../../apps/apichain/src/main.ts'), 'up'],
      ...['--data-dir={dir}/apichain', '--secure-port={port}', '--token-auth-file={dir}/tokens.csv'],
      ...(services ? [] : ['--in-process', '--memory']),
      ...(cbor ? ['--feature-gates=CBORServingAndStorage=true'] : []),
      ...['--authorization-mode=RBAC', '--controllers=-*', '--disable-admission-plugins=ServiceAccount'],
    ];
    return new Chain(await Server.start({ command, etcdBinary: 'etcd', tokens: users, port }));
  }

  get url(): string {
    return this.#server.url;
  }

  /** The process ids of the services, including the store. */
  get pids(): readonly number[] {
    return this.#server.pids;
  }

  target(user: User, timeoutMs: number): TargetOptions {
    return { url: this.url, token: user, insecureSkipTlsVerify: true, timeout: timeoutMs, connections: 1 };
  }

  /** A certificate for a server behind the chain. */
  get certificate(): ServerCredentials {
    const pki = (name: string) => readFileSync(this.#server.fill(`{dir}/apichain/pki/${name}`), 'utf8');
    return { cert: pki('admin.crt'), key: pki('admin.key') };
  }

  get running(): boolean {
    return this.#server.isRunning;
  }

  stop(): Promise<void> {
    return this.#server.stop();
  }

  /** Kills all processes. */
  kill(): void {
    for (const pid of this.pids) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch (error) {
        // The process has ended meanwhile.
        if (!hasErrorCode(error, 'ESRCH')) throw error;
      }
    }
  }
}
