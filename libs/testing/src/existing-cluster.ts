import { X509Certificate } from 'node:crypto';
import { commonName } from '@apichain/authn';
import { join } from 'node:path';
import { httpTransport, loadKubeconfig, RestClient } from '@apichain/client';
import { isStatusError } from '@apichain/meta';
import { createCA, type CertificatePair } from '@apichain/serving/certificates';
import { applyObjects } from './apply.ts';
import type { AuditEvent } from './audit.ts';
import type { ChainClock } from './time/clock.ts';
import { checkUser } from './check-options.ts';
import { existingKubeconfig } from './existing-kubeconfig.ts';
import type { Faults } from './faults.ts';
import { initialObjects, readManifests, type Manifest, type SourcedObject } from './manifests.ts';
import type { RecordedRequest } from './recorded-requests.ts';
import type { ChainSnapshot } from './snapshots.ts';
import { signedUser } from './signed-user.ts';
import { makeTemporaryDirectory, removeTemporaryDirectory } from './temporary-directory.ts';
import type { StartChainOptions, TestChain } from './test-chain.ts';
import { userOf, type ClientConfig, type TestUser, type UserOptions } from './users.ts';
import { withWebhookAt } from './webhooks/rewrite.ts';
import type { Workloads } from './workloads/workloads.ts';
import { RunningWebhooks, type WebhookServing } from './webhooks/serving.ts';

/** Whether `startChain` attaches to an existing cluster: the option, or else the environment. */
export const isExistingClusterAsked = ({ useExistingCluster }: StartChainOptions): boolean =>
  useExistingCluster ?? process.env['APICHAIN_USE_EXISTING_CLUSTER']?.toLowerCase() === 'true';

/**
 * Attaches to the cluster of the current context of a kubeconfig, as envtest's UseExistingCluster. Objects of `crds`, `manifests` and `webhooks`
 * are applied and stay there, except for webhook configurations, which `stop` deletes. Options about the server (flags, port, logs) have no effect.
 * Throws Error when there is no kubeconfig with a client certificate, or when the options need a server in this process.
 */
export async function attachToCluster(options: StartChainOptions): Promise<TestChain> {
  const objects = initialObjects(options);
  if (options.apiServices !== undefined && options.apiServices.length > 0) throw notThere('the option apiServices');
  const cluster = new ExistingCluster(existingKubeconfig());
  try {
    if (options.webhooks !== undefined) await cluster.serveWebhooks(options.webhooks);
    await cluster.applyObjects(objects.crds);
    await cluster.applyObjects([...objects.manifests, ...objects.webhooks]);
    for (const user of options.users ?? []) await cluster.addUser(user);
    return cluster;
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}

const notThere = (what: string): Error =>
  new Error(`an existing cluster does not have ${what}: it needs a chain in this process (see isExistingCluster)`);

/** The kinds of objects that call the test process, and would block the cluster when it has ended. */
const webhookResources: Readonly<Record<string, string>> = {
  MutatingWebhookConfiguration: 'mutatingwebhookconfigurations',
  ValidatingWebhookConfiguration: 'validatingwebhookconfigurations',
};

class ExistingCluster implements TestChain {
  readonly isExistingCluster = true;
  readonly url: string;
  readonly admin: TestUser;
  readonly users: Record<string, TestUser> = {};
  readonly #client: RestClient;
  readonly #directory = makeTemporaryDirectory();
  readonly #configurations = new Map<string, SourcedObject>();
  #webhooks: RunningWebhooks | undefined;
  #made = 0;
  #stopped: Promise<void> | undefined;

  constructor(file: string) {
    const { url, ca, cert, key, ...rest } = loadKubeconfig(file);
    if (ca === undefined || cert === undefined || key === undefined)
      throw new Error(
        `${file}: the current context needs a certificate authority and a client certificate with its key`,
      );
    this.url = url;
    const name = commonName(new X509Certificate(cert));
    const credentials = { ca, certificate: cert, key };
    this.admin = userOf({ url, name, file: join(this.#directory, 'admin.kubeconfig') }, credentials);
    this.#client = new RestClient(httpTransport({ url, ca, cert, key, ...rest, userAgent: 'apichain-testing' }));
  }

  async serveWebhooks(options: Parameters<typeof RunningWebhooks.start>[0]): Promise<void> {
    const authority: CertificatePair = await createCA('apichain-testing');
    this.#webhooks = await RunningWebhooks.start(options, authority, join(this.#directory, 'webhooks'));
  }

  async applyObjects(objects: readonly SourcedObject[]): Promise<void> {
    const webhooks = this.#webhooks;
    const redirected = objects.map((each) =>
      webhooks === undefined ? each : { ...each, object: withWebhookAt(webhooks, each.object) },
    );
    for (const each of redirected) {
      const { kind, metadata } = each.object;
      if (kind in webhookResources) this.#configurations.set(`${kind}/${metadata.name ?? ''}`, each);
    }
    await applyObjects({ client: this.#client }, redirected);
  }

  async apply(...manifests: readonly Manifest[]): Promise<void> {
    await this.applyObjects(readManifests(manifests));
  }

  get kubeconfig(): string {
    return this.admin.kubeconfig;
  }

  get kubeconfigFile(): string {
    return this.admin.kubeconfigFile;
  }

  get adminConfig(): ClientConfig {
    return this.admin.config;
  }

  get webhooks(): WebhookServing {
    if (this.#webhooks === undefined) throw new Error('the chain has no webhooks: start it with `webhooks`');
    return this.#webhooks;
  }

  /** Nothing is recorded, so there is nothing to clear. Hooks may call it for every kind of chain. */
  clearRequests(): void {
    this.#webhooks?.clearCalls();
  }

  async addUser(options: UserOptions): Promise<TestUser> {
    checkUser(options);
    const { name } = options;
    const file = join(this.#directory, `user-${this.#made++}.kubeconfig`);
    const credentials = { ca: this.admin.ca, ...(await signedUser(this.#client, options)) };
    const user = userOf({ url: this.url, name, file }, credentials);
    this.users[name] = user;
    return user;
  }

  async addApiService(): Promise<never> {
    throw notThere('addApiService');
  }

  async issueServing(): Promise<never> {
    throw notThere('issueServing');
  }

  snapshot(): ChainSnapshot {
    throw notThere('snapshot');
  }

  async restore(): Promise<never> {
    throw notThere('restore');
  }

  get faults(): Faults {
    throw notThere('faults');
  }

  get clock(): ChainClock {
    throw notThere('clock');
  }

  get workloads(): Workloads {
    throw notThere('workloads');
  }

  async settle(): Promise<never> {
    throw notThere('settle');
  }

  /** By the time of the machine. */
  async run<T>(action: () => T | Promise<T>): Promise<T> {
    return action();
  }

  get requests(): readonly RecordedRequest[] {
    throw notThere('requests');
  }

  get auditEvents(): readonly AuditEvent[] {
    throw notThere('auditEvents');
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    try {
      for (const { object } of this.#configurations.values())
        await this.#delete(object.kind, object.metadata.name ?? '');
    } finally {
      await this.#client.close();
      await this.#webhooks?.close();
      removeTemporaryDirectory(this.#directory);
    }
  }

  async #delete(kind: string, name: string): Promise<void> {
    const resource = { group: 'admissionregistration.k8s.io', version: 'v1', resource: webhookResources[kind] ?? '' };
    try {
      await this.#client.delete(resource, name);
    } catch (error) {
      if (!isStatusError(error, 'NotFound')) throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}
