import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorMessage } from '@apichain/meta';
import { createCA } from '@apichain/serving/certificates';
import { makeTemporaryDirectory, removeTemporaryDirectory, RunningWebhooks } from '@apichain/testing/support';
import { certificateCommonName } from './certificates.ts';
import { deleteCRDs, installCRDs, readCRDs } from './crds.ts';
import { buildKubeconfig, httpsUrl, loadKubeconfig } from './kubeconfig.ts';
import type { TestEnvironmentOptions, WebhookServing } from './options.ts';
import type { RestConfig } from './rest.ts';
import { base64, servingOf, type Running } from './running.ts';
import { installWebhooks, readWebhookManifests, rewriteWebhookManifests, uninstallWebhooks } from './webhooks.ts';

/**
 * Attaches to a cluster that exists. Webhook configurations and CRDs are installed into it, and stay there after `stop` unless their
 * `cleanUpAfterUse` is set. Throws Error without complete credentials, and when a manifest cannot be read or is refused; what was installed until
 * then is removed in the same way.
 */
export async function attachToCluster(options: TestEnvironmentOptions): Promise<Running> {
  const directory = makeTemporaryDirectory();
  const cluster = new AttachedCluster(options, directory);
  try {
    const { rest, user } = await credentialsOf(options.config);
    return { config: await cluster.install(rest, user), stop: () => cluster.stop() };
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}

class AttachedCluster {
  readonly #options: TestEnvironmentOptions;
  readonly #directory: string;
  /** What `stop` does before it removes the files, last first. */
  readonly #cleanUp: (() => Promise<unknown>)[] = [];

  constructor(options: TestEnvironmentOptions, directory: string) {
    this.#options = options;
    this.#directory = directory;
  }

  async install(rest: RestConfig, user: string): Promise<Running['config']> {
    const webhook = await this.#installWebhooks(rest);
    const installedCRDs = await this.#installCrds(rest, webhook);
    const { server, caPem, certPem, keyPem } = rest;
    const kubeconfigYaml = buildKubeconfig({
      server,
      caPem,
      clientCertPem: certPem,
      clientKeyPem: keyPem,
      userName: user,
    });
    const kubeconfigPath = join(this.#directory, 'kubeconfig');
    writeFileSync(kubeconfigPath, kubeconfigYaml, { mode: 0o600 });
    return {
      ...rest,
      caData: base64(caPem),
      certData: base64(certPem),
      keyData: base64(keyPem),
      user,
      kubeconfigPath,
      kubeconfigYaml,
      apiServerPort: Number(new URL(server).port || 443),
      installedCRDs,
      webhook,
    };
  }

  async #installWebhooks(rest: RestConfig): Promise<WebhookServing | undefined> {
    const { webhookInstallOptions: options } = this.#options;
    if (options === undefined) return undefined;
    const configurations = await readWebhookManifests(options.paths);
    const { localServingHost: host, localServingPort: port } = options;
    const address = { host, port };
    const authority = await createCA('envtest-webhook-ca');
    const serving = await RunningWebhooks.start(address, authority, join(this.#directory, 'webhooks'));
    const manifests = rewriteWebhookManifests(configurations, serving.host, serving.port, serving.ca);
    const refs = manifests.map(({ kind, metadata }) => ({ kind, name: metadata.name }));
    if (options.cleanUpAfterUse === true) this.#cleanUp.push(() => uninstallWebhooks(rest, refs));
    await installWebhooks(rest, manifests);
    return servingOf(serving, configurations);
  }

  async #installCrds(rest: RestConfig, webhook: WebhookServing | undefined): Promise<string[]> {
    const { crdDirectoryPaths = [], crds = [], crdInstallOptions = {} } = this.#options;
    const all = { ...crdInstallOptions, crds: [...crds, ...(crdInstallOptions.crds ?? [])] };
    const names = readCRDs(crdDirectoryPaths, all).map(({ metadata }) => metadata.name);
    if (crdInstallOptions.cleanUpAfterUse === true) this.#cleanUp.push(() => deleteCRDs(rest, names));
    const conversionWebhook = crdInstallOptions.conversionWebhook ?? webhook;
    return installCRDs(rest, crdDirectoryPaths, {
      ...all,
      conversionWebhook,
    });
  }

  async stop(): Promise<void> {
    try {
      for (const remove of this.#cleanUp.splice(0).reverse()) await remove();
    } finally {
      removeTemporaryDirectory(this.#directory);
    }
  }
}

/** The credentials, and the user that the server takes them for: the name in the certificate, whatever the kubeconfig calls it. */
async function credentialsOf(given: RestConfig | undefined): Promise<{ rest: RestConfig; user: string }> {
  const { config, source } =
    given === undefined ? await ofKubeconfig() : { config: complete(given), source: 'options.config' };
  let user: string;
  try {
    user = certificateCommonName(config.certPem);
  } catch (error) {
    throw new Error(`useExistingCluster: the client certificate of ${source} is invalid: ${errorMessage(error)}`, {
      cause: error,
    });
  }
  if (user === '') throw new Error(`useExistingCluster: the client certificate of ${source} has no common name`);
  return { rest: config, user };
}

async function ofKubeconfig(): Promise<{ config: RestConfig; source: string }> {
  const { config, path } = await loadKubeconfig();
  return { config, source: path };
}

function complete(config: RestConfig): RestConfig {
  const { server, caPem, certPem, keyPem } = config;
  for (const [name, value] of Object.entries({ caPem, certPem, keyPem }))
    if (typeof value !== 'string' || value.trim() === '')
      throw new Error(`useExistingCluster: options.config.${name} is empty`);
  return { server: httpsUrl(server, 'options.config.server'), caPem, certPem, keyPem };
}
