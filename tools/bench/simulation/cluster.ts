import { writeFileSync } from 'node:fs';
import { RestClient, httpTransport } from '@apichain/client';
import { kubeconfigOf } from '../../servers/credentials.ts';
import { Process } from '../../servers/process.ts';
import { processTree, processorMs, programName, residentMb } from '../../servers/processes.ts';
import { isCommand, readDescription, Server, type ServerDescription } from '../../servers/server.ts';

/** A cluster that the benchmark starts, from a file under `targets/`: an API server, and the programs that are clients of it. `{nodes}` is the number of nodes. */
export interface ClusterTarget extends ServerDescription {
  /** The commands of the programs that are started when the server is ready. `{dir}/kubeconfig` names an administrator. */
  readonly beside: readonly (readonly string[])[];
}

/** The use of one program: processor time since its start, in milliseconds, and resident memory, in MiB. */
export interface ProgramUse {
  readonly processorMs: number;
  readonly residentMiB: number;
}

/** Reads a ClusterTarget from a JSON file. Throws Error for any other contents. */
export function readClusterTarget(file: string): ClusterTarget {
  const { name, command, beside = [] } = readDescription('target', file);
  if (!Array.isArray(beside) || !beside.every(isCommand))
    throw new Error(`--target: ${file} does not hold {"name": "...", "command": ["..."], "beside": [["..."]]}`);
  return { name, command, beside };
}

/** A started cluster, with all its processes. */
export class Cluster {
  readonly client: RestClient;
  readonly #server: Server;
  readonly #beside: readonly Process[];

  private constructor(server: Server, beside: readonly Process[]) {
    this.client = new RestClient(httpTransport({ ...server.connection, connections: 32, userAgent: 'bench' }));
    this.#server = server;
    this.#beside = beside;
  }

  /** Throws Error when the server does not become ready. Nothing keeps running in that case. */
  static async start(target: ClusterTarget, nodes: number, etcdBinary: string): Promise<Cluster> {
    const filled = (command: readonly string[]) => command.map((word) => word.replaceAll('{nodes}', String(nodes)));
    const server = await Server.start({ command: filled(target.command), etcdBinary });
    writeFileSync(server.fill('{dir}/kubeconfig'), kubeconfigOf('bench', server.url, server.token), { mode: 0o600 });
    const processes = target.beside.map((command) =>
      new Process(
        filled(command).map((word) => server.fill(word)),
        server.fill('{dir}/beside.log'),
      ).start(),
    );
    return new Cluster(server, processes);
  }

  /** Throws Error when a program has ended. */
  check(): void {
    const ended = this.#beside.find(({ failure }) => failure !== undefined);
    if (ended !== undefined) throw new Error(`${ended.failure}\n${ended.lastLines}`);
  }

  /** What each program has used, the store among them. */
  uses(): ReadonlyMap<string, ProgramUse> {
    const pids = [
      ...this.#server.pids,
      ...this.#server.storePids,
      ...this.#beside.flatMap(({ pid }) => processTree(pid)),
    ];
    return new Map(
      pids.map((pid) => [programName(pid), { processorMs: processorMs(pid), residentMiB: residentMb([pid]) / 1.024 }]),
    );
  }

  async stop(): Promise<void> {
    await this.client.close();
    await Promise.all(this.#beside.map((process) => process.stop()));
    await this.#server.stop();
  }
}
