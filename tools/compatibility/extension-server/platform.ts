import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { certificateFlags, ensurePki, kubeconfig } from '@apichain/chain/setup';
import { freePort } from '@apichain/meta';
import { issueClient } from '@apichain/serving/certificates';
import { Program, runProgram, until } from './program.ts';

export const repository = resolve(import.meta.dirname, '../../..');

/** A core API of its own, with RBAC, client certificates and a front proxy, as a cluster has them. It can be restarted. */
export class CorePlatform {
  readonly name: string;
  readonly directory: string;
  readonly #commandOf: (port: number) => Promise<readonly string[]>;
  readonly #pki: string;
  readonly #before: () => Promise<Program | undefined>;
  #port = 0;
  #server: Program | undefined;
  #store: Program | undefined;

  /** `pki`: the directory of the certificates, made by `ensurePki`. `startStore` starts what has to run before the server. */
  constructor(options: {
    readonly directory: string;
    readonly pki: string;
    readonly startStore?: () => Promise<Program>;
    readonly commandOf: (port: number) => Promise<readonly string[]>;
  }) {
    this.directory = options.directory;
    this.name = options.directory.split('/').at(-1) ?? '';
    this.#pki = options.pki;
    this.#commandOf = options.commandOf;
    this.#before = async () => options.startStore?.();
  }

  get url(): string {
    return `https://127.0.0.1:${this.#port}`;
  }

  /** A PEM file of the platform, e.g. `ca.crt`. */
  pem(file: string): string {
    return readFileSync(join(this.#pki, file), 'utf8');
  }

  async start(): Promise<void> {
    this.#port = await freePort();
    this.#store = await this.#before();
    await this.#startServer();
  }

  /** Stops the server and starts it again on its port, with its data. */
  async restart(): Promise<void> {
    await this.#server?.stop();
    await this.#startServer();
  }

  async stop(): Promise<void> {
    await this.#server?.stop();
    await this.#store?.stop();
  }

  /** The path of a kubeconfig for a user with a client certificate. */
  async kubeconfigOf(user: string, groups: readonly string[] = []): Promise<string> {
    const ca = { certificate: this.pem('ca.crt'), key: this.pem('ca.key') };
    const { certificate: cert, key } = await issueClient(ca, user, [...groups]);
    const file = join(this.directory, `${user}.kubeconfig`);
    writeFileSync(file, kubeconfig({ server: this.url, ca: ca.certificate, cert, key, user }), { mode: 0o600 });
    return file;
  }

  async #startServer(): Promise<void> {
    const server = new Program(await this.#commandOf(this.#port), join(this.directory, 'server.log'));
    this.#server = server;
    await until(
      async () => {
        if (server.hasEnded) return true;
        const kubeconfig = await this.kubeconfigOf('admin', ['system:masters']);
        return (await runProgram(['kubectl', '--kubeconfig', kubeconfig, 'get', '--raw=/readyz'])).code === 0;
      },
      () => `${this.name} is not ready, see ${this.directory}/server.log`,
    );
    server.check();
  }
}

const bothFlags = [
  ...['--bind-address=127.0.0.1', '--authorization-mode=RBAC', '--disable-admission-plugins=ServiceAccount'],
  ...['--service-cluster-ip-range=10.0.0.0/16'],
];

/** A kube-apiserver with an etcd of its own. */
export function kubeApiServerPlatform(
  directory: string,
  program: string,
  etcd: string,
  flags: readonly string[] = [],
): CorePlatform {
  const pki = join(directory, 'pki');
  let etcdUrl = '';
  return new CorePlatform({
    ...{ directory, pki },
    async startStore() {
      const [client, peer] = [await freePort(), await freePort()].map((port) => `http://127.0.0.1:${port}`);
      etcdUrl = client ?? '';
      const urls = [
        `--listen-client-urls=${client}`,
        `--advertise-client-urls=${client}`,
        `--listen-peer-urls=${peer}`,
      ];
      const cluster = [`--initial-advertise-peer-urls=${peer}`, `--initial-cluster=default=${peer}`];
      return new Program(
        [etcd, `--data-dir=${join(directory, 'etcd')}`, ...urls, ...cluster],
        join(directory, 'etcd.log'),
      );
    },
    async commandOf(port) {
      await ensurePki({ directory: pki, hosts: [], services: ['aggregator'] });
      return [
        ...[program, `--etcd-servers=${etcdUrl}`, `--secure-port=${port}`, ...bothFlags, ...certificateFlags(pki)],
        ...['--requestheader-username-headers=X-Remote-User', '--requestheader-group-headers=X-Remote-Group'],
        ...[
          '--requestheader-extra-headers-prefix=X-Remote-Extra-',
          '--service-account-issuer=https://kubernetes.default.svc',
        ],
        ...flags,
      ];
    },
  });
}

/** The chain, with its data on disk. `flags` say in which form. */
export function chainPlatform(directory: string, flags: readonly string[]): CorePlatform {
  const data = join(directory, 'data');
  return new CorePlatform({
    directory,
    pki: join(data, 'pki'),
    commandOf: async (port) => [
      ...[process.execPath, join(repository, 'apps/apichain/src/main.ts'), 'up', `--data-dir=${data}`],
      ...[`--secure-port=${port}`, ...bothFlags, '--controllers=-*', ...flags],
    ],
  });
}
