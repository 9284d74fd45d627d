import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { RestClient, httpTransport } from '@apichain/client';
import { processTree, processorMs, programName, residentMiB } from '../processes.ts';
import { Server } from '../server.ts';

/** A cluster that the benchmark starts, from a file under `targets/`: an API server, and the programs that are clients of it. */
export interface ClusterTarget {
  readonly name: string;
  /** The command of the API server, see ServerOptions. `{nodes}` is the number of nodes. */
  readonly command: readonly string[];
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
  const { name, command, beside = [] } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  if (typeof name !== 'string' || !isCommand(command) || !Array.isArray(beside) || !beside.every(isCommand))
    throw new Error(`--target: ${file} does not hold {"name": "...", "command": ["..."], "beside": [["..."]]}`);
  return { name, command, beside };
}

const isCommand = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((word) => typeof word === 'string');

/** A started cluster, with all its processes. */
export class Cluster {
  readonly client: RestClient;
  readonly #server: Server;
  readonly #beside: readonly ChildProcess[];

  private constructor(server: Server, beside: readonly ChildProcess[]) {
    const { url, token } = server;
    this.client = new RestClient(
      httpTransport({ url, token, insecureSkipTlsVerify: true, connections: 32, userAgent: 'bench' }),
    );
    this.#server = server;
    this.#beside = beside;
  }

  /** Throws Error when the server does not become ready. Nothing keeps running in that case. */
  static async start(target: ClusterTarget, nodes: number, etcdBinary: string): Promise<Cluster> {
    const filled = (command: readonly string[]) => command.map((word) => word.replaceAll('{nodes}', String(nodes)));
    const server = await Server.start({ command: filled(target.command), etcdBinary });
    writeFileSync(server.fill('{dir}/kubeconfig'), kubeconfigOf(server), { mode: 0o600 });
    const log = openSync(server.fill('{dir}/beside.log'), 'a');
    const children = target.beside.map((command) => {
      const [program = '', ...args] = filled(command).map((word) => server.fill(word));
      return spawn(program, args, { stdio: ['ignore', log, log] });
    });
    closeSync(log);
    return new Cluster(server, children);
  }

  /** Throws Error when a program has ended. */
  check(): void {
    const ended = this.#beside.find(({ exitCode, signalCode }) => exitCode !== null || signalCode !== null);
    if (ended === undefined) return;
    const log = readFileSync(this.#server.fill('{dir}/beside.log'), 'utf8').trimEnd().split('\n').slice(-5).join('\n');
    throw new Error(`${ended.spawnfile} has ended\n${log}`);
  }

  /** What each program has used, the store among them. */
  uses(): ReadonlyMap<string, ProgramUse> {
    const pids = [
      ...this.#server.pids,
      ...this.#server.storePids,
      ...this.#beside.flatMap(({ pid }) => processTree(pid)),
    ];
    return new Map(
      pids.map((pid) => [programName(pid), { processorMs: processorMs(pid), residentMiB: residentMiB(pid) }]),
    );
  }

  async stop(): Promise<void> {
    await this.client.close();
    await Promise.all(this.#beside.map(end));
    await this.#server.stop();
  }
}

const stopTimeoutMs = 15_000;

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
  await ended;
  clearTimeout(timer);
}

const kubeconfigOf = ({ url, token }: Server): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'bench', cluster: { server: url, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'bench', user: { token } }],
    contexts: [{ name: 'bench', context: { cluster: 'bench', user: 'bench' } }],
    'current-context': 'bench',
  });
