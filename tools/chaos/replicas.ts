import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseYaml } from '@apichain/meta';
import { writeCredentials } from '../servers/credentials.ts';
import { isOk } from '../servers/get.ts';
import { Process, waitFor } from '../servers/process.ts';
import { EtcdCluster } from './etcd-cluster.ts';
import type { Host, Network } from './network.ts';

/** A start on a machine that is busy with other things. */
const readyTimeoutMs = 180_000;
const probeTimeoutMs = 5_000;
const restartMs = 1_000;
const servicePort = 6443;

/** The services of the chain, from its end to its beginning, in which order they start. */
const services = ['apiextensions', 'kube-core', 'aggregator'] as const;
type Service = (typeof services)[number] | 'controllers';

/** A process of one of the services. */
export interface Replica {
  readonly service: Service;
  readonly host: Host;
  /** Undefined for the controllers, which serve nobody. */
  readonly url: string | undefined;
  process: Process;
}

/** How a replica is started: the folder with the built programs, and what it finds in its environment. */
export interface Version {
  readonly folder: string;
  readonly environment?: Readonly<Record<string, string>>;
}

export interface ReplicasOptions {
  readonly etcdBinary: string;
  readonly network: Network;
  /** A temporary folder for data, certificates and logs. */
  readonly directory: string;
  /** The checkout whose built programs run at first. */
  readonly folder: string;
  /** The number of worker processes of each service. */
  readonly workers: number;
}

interface ComposeFile {
  readonly services: Readonly<Record<string, { readonly command: readonly string[] }>>;
}

export const repository = resolve(import.meta.dirname, '../..');
/** The flags of the services are those of this file, so that what is deployed with it is what is tested. */
const composeFile = join(repository, 'docker-compose.ha.yml');

/** Two replicas of each service over an etcd of three members, as docker-compose.ha.yml has them. */
export class Replicas {
  readonly etcd: EtcdCluster;
  readonly all: readonly Replica[];
  readonly token: string;
  readonly #options: ReplicasOptions;
  /**
   * As the container engine does: starts what has ended by itself. Controllers do when they lose their Lease, services when etcd does not respond
   * while they start.
   */
  readonly #restarts = setInterval(() => this.#restartEnded(), restartMs).unref();
  readonly #ended = new Set<Replica>();

  private constructor(options: ReplicasOptions, etcd: EtcdCluster, all: readonly Replica[], token: string) {
    this.#options = options;
    this.etcd = etcd;
    this.all = all;
    this.token = token;
  }

  /** Starts everything. Throws Error when it is not ready in time. Nothing keeps running in that case. */
  static async start(options: ReplicasOptions): Promise<Replicas> {
    const { directory, network, folder } = options;
    const token = randomUUID();
    writeCredentials(directory, token);
    const etcd = await EtcdCluster.start(options.etcdBinary, directory, network);
    const all: Replica[] = [];
    for (const service of [...services, 'controllers'] as const)
      for (const number of [1, 2]) {
        const host = network.host(`${service}-${String(number)}`, service);
        const port = service === 'controllers' ? undefined : await network.port(servicePort);
        const url = port === undefined ? undefined : `https://${host.address}:${String(port)}`;
        all.push({ service, host, url, process: new Process([], '') });
      }
    const replicas = new Replicas(options, etcd, all, token);
    for (const replica of all) replicas.#ended.add(replica);
    try {
      replicas.#makeCertificates();
      for (const service of [...services, 'controllers']) {
        const own = all.filter((replica) => replica.service === service);
        for (const replica of own) replicas.start(replica, { folder });
        for (const replica of own) await replicas.untilReady(replica);
      }
      return replicas;
    } catch (error) {
      await replicas.close();
      throw error;
    }
  }

  /** The addresses of the aggregators, for clients. */
  get urls(): readonly string[] {
    return this.all.flatMap(({ service, url }) => (service === 'aggregator' && url !== undefined ? [url] : []));
  }

  /** Starts a replica that does not run: of another version, or, by default, of the one that ran before. */
  start(replica: Replica, version?: Version): void {
    this.#ended.delete(replica);
    if (version === undefined) replica.process.start();
    else replica.process = this.#processOf(replica, version).start();
  }

  /** Ends a replica: with SIGTERM as a deployment does, or with SIGKILL as a crash would. It stays away until it is started. */
  stop(replica: Replica, signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    this.#ended.add(replica);
    return replica.process.stop(signal);
  }

  /** Resolves when the replica is ready. Throws Error with the end of its log when it is not ready in time. */
  async untilReady({ url, host, process }: Replica): Promise<void> {
    if (url === undefined) return;
    const why = () => `${host.name} is not ready: ${process.lastLines}`;
    await waitFor(isOk(`${url}/readyz`, this.token, probeTimeoutMs), readyTimeoutMs, why);
  }

  async close(): Promise<void> {
    clearInterval(this.#restarts);
    for (const { process } of this.all.toReversed()) await process.stop('SIGKILL');
    await this.etcd.close();
  }

  #restartEnded(): void {
    for (const replica of this.all)
      if (replica.process.failure !== undefined && !this.#ended.has(replica)) replica.process.start();
  }

  #makeCertificates(): void {
    const { directory } = this.#options;
    const addresses = this.all.flatMap(({ host }) => [host.name, host.address]);
    const hosts = new Set([...services, ...addresses, '127.0.0.1']);
    const [server = ''] = this.#options.network.hasHosts ? [`https://aggregator:${String(servicePort)}`] : this.urls;
    const args = ['certificates', `--pki-dir=${join(directory, 'pki')}`, `--hosts=${[...hosts].join(',')}`];
    const kubeconfig = [`--kubeconfig=${join(directory, 'admin.kubeconfig')}`, `--server=${this.urls[0] ?? server}`];
    // Those of this checkout: the flags of the compose file are its flags.
    const program = join(repository, 'dist/apps/apichain/lib/apichain.js');
    const all = [program, ...args, ...kubeconfig, `--services-server=${server}`];
    const { status, stderr } = spawnSync(process.execPath, all, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`certificates were not made: ${stderr}`);
  }

  #processOf(replica: Replica, { folder, environment }: Version): Process {
    const { host, service } = replica;
    const { directory, workers } = this.#options;
    const program = programOf(folder, service);
    const more = workers > 1 && service !== 'controllers' ? [`--workers=${String(workers)}`] : [];
    const command = [
      ...host.prefix,
      process.execPath,
      '--max-semi-space-size=16',
      program,
      ...this.#flagsOf(replica),
      ...more,
    ];
    return new Process(command, join(directory, `${host.name}.log`), {
      MALLOC_ARENA_MAX: '1',
      ...environment,
    });
  }

  #flagsOf(replica: Replica): string[] {
    const { directory, network } = this.#options;
    const file = parseYaml(readFileSync(composeFile)) as ComposeFile;
    const { command } = file.services[replica.service] ?? { command: [] };
    const flags = command.map((flag) => {
      const here = flag.replace('=/pki/', `=${directory}/pki/`).replace(/\$\{\w+:-(\w*)\}/, '$1');
      if (here.startsWith('--etcd-servers=')) return `--etcd-servers=${this.etcd.urls.join(',')}`;
      if (here.startsWith('--bind-address=')) return `--bind-address=${replica.host.address}`;
      if (here.startsWith('--secure-port=')) return `--secure-port=${new URL(replica.url ?? '').port}`;
      if (here.startsWith('--delegate-url=') && !network.hasHosts) return `--delegate-url=${this.#nextOf(replica)}`;
      return here;
    });
    return replica.url === undefined ? flags : [...flags, `--token-auth-file=${join(directory, 'tokens.csv')}`];
  }

  /** On loopback services have no name that stands for both replicas: each replica has one of the next service to itself. */
  #nextOf({ service, host }: Replica): string {
    const next = services[services.findIndex((name) => name === service) - 1];
    const [number = ''] = /\d$/.exec(host.name) ?? [];
    return this.all.find((other) => other.host.name === `${String(next)}-${number}`)?.url ?? '';
  }
}

/** The built program of a service in a checkout: in the bundle of all, or alone. Throws Error when it was not built. */
function programOf(folder: string, service: Service): string {
  const files = ['apichain', service].map((app) => resolve(folder, `dist/apps/${app}/lib/${service}.js`));
  const file = files.find((path) => existsSync(path));
  if (file === undefined) throw new Error(`${String(files[0])} is not there: build apichain in ${folder}`);
  return file;
}
