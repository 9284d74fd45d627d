import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { certificateFlags, ensurePki, kubeconfig } from '@apichain/chain/setup';
import { certificateFiles, readCertificatePair } from '@apichain/serving/certificate-files';
import { issueClient, type CertificatePair } from '@apichain/serving/certificates';
import { Server, type ServerOptions } from '../../servers/server.ts';

export const repository = resolve(import.meta.dirname, '../../..');

/** A core API of its own, with RBAC, client certificates and a front proxy, as a cluster has them. It can be restarted. */
export class CorePlatform {
  readonly name: string;
  readonly directory: string;
  /** The folder of the certificates, as `ensurePki` makes them. */
  readonly pki: string;
  readonly #options: ServerOptions;
  #server: Server | undefined;

  constructor(options: ServerOptions & { readonly dir: string }, pki: string) {
    this.name = basename(options.dir);
    this.directory = options.dir;
    this.pki = pki;
    this.#options = options;
  }

  get url(): string {
    return this.#running.url;
  }

  /** A PEM file of the platform, e.g. `ca.crt`. */
  pem(file: string): string {
    return readFileSync(join(this.pki, file), 'utf8');
  }

  /** The authority of clients and servers. */
  get ca(): CertificatePair {
    return readCertificatePair(certificateFiles(this.pki, 'ca'));
  }

  /** Starts the server, and stops it when the work is done or has failed. */
  async use<Result>(work: (platform: this) => Promise<Result>): Promise<Result> {
    this.#server = await Server.start(this.#options);
    try {
      return await work(this);
    } finally {
      await this.#server.stop();
    }
  }

  /** Stops the server and starts it again on its port, with its data. */
  async restart(): Promise<void> {
    await this.#running.restart();
  }

  /** The path of a kubeconfig for a user with a client certificate. */
  async kubeconfigOf(user: string, groups: readonly string[] = []): Promise<string> {
    const { certificate: cert, key } = await issueClient(this.ca, user, [...groups]);
    const file = join(this.directory, `${user}.kubeconfig`);
    writeFileSync(file, kubeconfig({ server: this.url, ca: this.pem('ca.crt'), cert, key, user }), { mode: 0o600 });
    return file;
  }

  get #running(): Server {
    if (this.#server === undefined) throw new Error(`${this.name} does not run`);
    return this.#server;
  }
}

const bothFlags = [
  ...['--secure-port={port}', '--bind-address=127.0.0.1', '--authorization-mode=RBAC'],
  ...['--token-auth-file={dir}/tokens.csv', '--disable-admission-plugins=ServiceAccount'],
  '--service-cluster-ip-range=10.0.0.0/16',
];

/** A kube-apiserver with an etcd of its own. */
export function kubeApiServerPlatform(
  dir: string,
  program: string,
  etcdBinary: string,
  flags: readonly string[] = [],
): CorePlatform {
  const pki = join(dir, 'pki');
  const command = [
    ...[program, '--etcd-servers={etcd}', ...bothFlags, ...certificateFlags(pki)],
    ...['--requestheader-username-headers=X-Remote-User', '--requestheader-group-headers=X-Remote-Group'],
    ...[
      '--requestheader-extra-headers-prefix=X-Remote-Extra-',
      '--service-account-issuer=https://kubernetes.default.svc',
    ],
    ...flags,
  ];
  const prepare = () => ensurePki({ directory: pki, hosts: [], services: ['aggregator'] });
  return new CorePlatform({ dir, command, etcdBinary, prepare }, pki);
}

/** The chain, with its data on disk. `flags` say in which form. */
export function chainPlatform(dir: string, flags: readonly string[]): CorePlatform {
  const program = join(repository, 'apps/apichain/src/main.ts');
  const command = [
    process.execPath,
    program,
    'up',
    '--data-dir={dir}/data',
    ...bothFlags,
    '--controllers=-*',
    ...flags,
  ];
  return new CorePlatform({ dir, command, etcdBinary: 'etcd' }, join(dir, 'data/pki'));
}

/** A kube-apiserver, which is the reference, and the chain in both forms. Their folders are in `root`. */
export const corePlatforms = (root: string, kubeApiServer: string, etcd: string) =>
  [
    kubeApiServerPlatform(join(root, 'kube-apiserver'), kubeApiServer, etcd),
    chainPlatform(join(root, 'services'), []),
    chainPlatform(join(root, 'in-process'), ['--in-process']),
  ] as const;
