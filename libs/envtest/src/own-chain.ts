import { startChain, type TestChain, type TestUser } from '@apichain/testing';
import { findBinaries } from './binaries.ts';
import { readCRDs } from './crds.ts';
import type { AuthenticatedUser, EnvtestConfig, ExtraArgs, TestEnvironmentOptions } from './options.ts';
import { base64, servingOf, type Running } from './running.ts';
import { readWebhookManifests, rewriteConversionWebhooks, rewriteWebhookManifests } from './webhooks.ts';

/** The flags with which envtest starts kube-apiserver. */
const defaultFlags: ExtraArgs = {
  'authorization-mode': 'RBAC',
  'disable-admission-plugins': 'ServiceAccount',
  'allow-privileged': 'true',
  'service-cluster-ip-range': '10.0.0.0/24',
};

const adminName = 'envtest-admin';

/** Starts a chain in this process. Throws Error when a manifest cannot be read or is refused, or a flag is invalid. */
export async function startOwnChain(options: TestEnvironmentOptions): Promise<Running> {
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
    useExistingCluster: false,
    flags: flagsOf(options.apiServerFlags),
    bindAddress: listenAddress,
    port: securePort,
    ...(attachOutput ? { log: (line: string) => process.stderr.write(line) } : {}),
    ...(webhooks === undefined ? {} : { webhooks: { host, port } }),
  });
  const stop = () => chain.stop();
  try {
    const webhook = webhooks === undefined ? undefined : servingOf(chain.webhooks, configurations);
    if (webhook === undefined) await chain.apply(...crdManifests);
    else {
      const at = crdInstallOptions.conversionWebhook ?? webhook;
      await chain.apply(...rewriteConversionWebhooks(crdManifests, at.host, at.port, at.caPem));
      await chain.apply(...rewriteWebhookManifests(configurations, webhook.host, webhook.port, webhook.caPem));
    }
    const { groups: _groups, ...admin } = await addChainUser(chain, adminName, ['system:masters']);
    const config: EnvtestConfig = {
      ...admin,
      apiServerPort: Number(new URL(chain.url).port),
      installedCRDs: crdManifests.map(({ metadata }) => metadata.name),
      binaries: findBinaries(options.binaryAssetsDirectory),
      webhook,
    };
    return { config, chain, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Creates a user with a client certificate. */
export async function addChainUser(
  chain: TestChain,
  name: string,
  groups: readonly string[],
): Promise<AuthenticatedUser> {
  return { ...authenticated(chain.url, await chain.addUser({ name, groups })), groups: [...groups] };
}

function flagsOf(extra: ExtraArgs = {}): string[] {
  const named = Object.entries(extra).map(([name, value]) => [name.replace(/^--/, ''), value] as const);
  return Object.entries({ ...defaultFlags, ...Object.fromEntries(named) }).flatMap(([name, value]) =>
    value === null ? [] : [value].flat().map((one) => `--${name}=${one}`),
  );
}

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
