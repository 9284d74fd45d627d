import { connect } from 'node:tls';
import { setTimeout as sleep } from 'node:timers/promises';
import { withWebhooksAt } from '@apichain/testing';
import { readKinds } from './manifests.ts';
import { createOrReplace, deleteIfThere, type RestConfig } from './rest.ts';

/** The webhook configurations that an environment installs, and the address at which the test serves the webhooks. */
export interface WebhookInstallOptions {
  /** Files or folders with ValidatingWebhookConfigurations and MutatingWebhookConfigurations. */
  paths: string[];
  /** The address of the test's webhook server. Default: 127.0.0.1 and a free port. */
  localServingHost?: string;
  localServingPort?: number;
  /** Whether `stop` deletes the configurations from an existing cluster. Default: false. */
  cleanUpAfterUse?: boolean;
}

/** The address of a webhook in a configuration: a Service or a URL (WebhookClientConfig of admissionregistration.k8s.io/v1). */
export interface WebhookClientConfig {
  url?: string;
  caBundle?: string;
  service?: { name: string; namespace: string; path?: string; port?: number };
}

/** A ValidatingWebhookConfiguration or MutatingWebhookConfiguration in a manifest. */
export interface WebhookConfigurationManifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; resourceVersion?: string };
  webhooks?: { name: string; clientConfig?: WebhookClientConfig; [field: string]: unknown }[];
  [field: string]: unknown;
}

/** The part of a CustomResourceDefinition that configures its conversion webhook. */
export interface CRDConversionTarget {
  kind: string;
  metadata: { name: string };
  spec?: {
    conversion?: {
      strategy?: string;
      webhook?: { conversionReviewVersions?: string[]; clientConfig?: WebhookClientConfig };
    };
    [field: string]: unknown;
  };
  [field: string]: unknown;
}

/** Identifies an installed webhook configuration. */
export interface WebhookConfigurationRef {
  kind: string;
  name: string;
}

const resources: Readonly<Record<string, string>> = {
  MutatingWebhookConfiguration: 'mutatingwebhookconfigurations',
  ValidatingWebhookConfiguration: 'validatingwebhookconfigurations',
};

/** Throws Error when the kind is not a webhook configuration. */
function collectionOf(kind: string): string {
  const resource = resources[kind];
  if (resource === undefined) throw new Error(`${kind} is no kind of webhook configuration`);
  return `/apis/admissionregistration.k8s.io/v1/${resource}`;
}

/** Reads webhook configurations. Throws Error for a path that does not exist. */
export async function readWebhookManifests(paths: string[]): Promise<WebhookConfigurationManifest[]> {
  return readKinds(paths, Object.keys(resources)) as WebhookConfigurationManifest[];
}

/** Copies of the configurations that call the test's webhook server, with its address and CA, instead of a Service or another URL. */
export function rewriteWebhookManifests(
  manifests: WebhookConfigurationManifest[],
  host: string,
  port: number,
  caPem: string,
): WebhookConfigurationManifest[] {
  return withWebhooksAt({ host, port, ca: caPem }, manifests, { urls: true });
}

/** Like rewriteWebhookManifests, for CRDs that use a conversion webhook. Its path is `/convert` unless the CRD specifies another. */
export function rewriteConversionWebhooks<T extends CRDConversionTarget>(
  crds: T[],
  host: string,
  port: number,
  caPem: string,
): T[] {
  return withWebhooksAt({ host, port, ca: caPem }, crds, { urls: true });
}

/** Creates or replaces webhook configurations; returns their names. */
export async function installWebhooks(
  config: RestConfig,
  manifests: WebhookConfigurationManifest[],
): Promise<string[]> {
  for (const manifest of manifests) await createOrReplace(config, collectionOf(manifest.kind), manifest);
  return manifests.map(({ metadata }) => metadata.name);
}

/** Deletes webhook configurations. Returns the names of those that existed. */
export async function uninstallWebhooks(config: RestConfig, refs: WebhookConfigurationRef[]): Promise<string[]> {
  const deleted: string[] = [];
  for (const { kind, name } of refs)
    if (await deleteIfThere(config, `${collectionOf(kind)}/${name}`)) deleted.push(name);
  return deleted;
}

/** The certificate that `waitForWebhookServer` accepts, and its timeout. */
export interface WaitForWebhookServerOptions {
  /** PEM: the CA that the server's certificate is verified with. */
  caPem: string;
  /** Default 10 s. */
  timeoutMs?: number;
}

const pollMs = 20;

/** Resolves when a server presents a certificate that the API server will accept. Throws Error on timeout. */
export async function waitForWebhookServer(
  host: string,
  port: number,
  { caPem, timeoutMs = 10_000 }: WaitForWebhookServerOptions,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  for (
    let problem = await handshake(host, port, caPem);
    problem !== undefined;
    problem = await handshake(host, port, caPem)
  ) {
    if (performance.now() > deadline)
      throw new Error(`no webhook server at ${host}:${port} after ${timeoutMs} ms: ${problem}`);
    await sleep(pollMs);
  }
}

/** The error of a TLS handshake, or undefined on success. */
function handshake(host: string, port: number, ca: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, ca }, () => {
      socket.destroy();
      resolve(undefined);
    });
    socket.once('error', (error: Error) => {
      socket.destroy();
      resolve(error.message);
    });
  });
}
