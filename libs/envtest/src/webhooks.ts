import { connect } from 'node:tls';
import { setTimeout as sleep } from 'node:timers/promises';
import { withWebhooksAt } from '@apichain/testing';
import { readKinds } from './manifests.ts';
import { createOrReplace, deleteIfThere, type RestConfig } from './rest.ts';

/** Which webhook configurations an environment installs, and where the test serves them. */
export interface WebhookInstallOptions {
  /** Files or folders with ValidatingWebhookConfigurations and MutatingWebhookConfigurations. */
  paths: string[];
  /** Where the test serves its webhooks. Default 127.0.0.1 and a free port. */
  localServingHost?: string;
  localServingPort?: number;
  /** Nothing outlives the environment in any case. */
  cleanUpAfterUse?: boolean;
}

/** How a configuration names a webhook: by a Service or a URL (WebhookClientConfig of admissionregistration.k8s.io/v1). */
export interface WebhookClientConfig {
  url?: string;
  caBundle?: string;
  service?: { name: string; namespace: string; path?: string; port?: number };
}

/** A ValidatingWebhookConfiguration or MutatingWebhookConfiguration as a manifest has it. */
export interface WebhookConfigurationManifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; resourceVersion?: string };
  webhooks?: { name: string; clientConfig?: WebhookClientConfig; [field: string]: unknown }[];
  [field: string]: unknown;
}

/** The part of a CustomResourceDefinition that names its conversion webhook. */
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

/** Names an installed webhook configuration. */
export interface WebhookConfigurationRef {
  kind: string;
  name: string;
}

const resources: Readonly<Record<string, string>> = {
  MutatingWebhookConfiguration: 'mutatingwebhookconfigurations',
  ValidatingWebhookConfiguration: 'validatingwebhookconfigurations',
};

/** Throws Error for what is no webhook configuration. */
function collectionOf(kind: string): string {
  const resource = resources[kind];
  if (resource === undefined) throw new Error(`${kind} is no kind of webhook configuration`);
  return `/apis/admissionregistration.k8s.io/v1/${resource}`;
}

/** Throws Error for a path that does not exist. */
export async function readWebhookManifests(paths: string[]): Promise<WebhookConfigurationManifest[]> {
  return readKinds(paths, Object.keys(resources)) as WebhookConfigurationManifest[];
}

/** Copies that call the server of the test, by its address and with its authority, where a Service would be called. */
export function rewriteWebhookManifests(
  manifests: WebhookConfigurationManifest[],
  host: string,
  port: number,
  caPem: string,
): WebhookConfigurationManifest[] {
  return withWebhooksAt({ host, port, ca: caPem }, manifests);
}

/** As rewriteWebhookManifests, for CRDs that leave their conversion to a webhook; its path is `/convert` unless they say another. */
export function rewriteConversionWebhooks<T extends CRDConversionTarget>(
  crds: T[],
  host: string,
  port: number,
  caPem: string,
): T[] {
  return withWebhooksAt({ host, port, ca: caPem }, crds);
}

/** Creates or replaces webhook configurations; returns their names. */
export async function installWebhooks(
  config: RestConfig,
  manifests: WebhookConfigurationManifest[],
): Promise<string[]> {
  for (const manifest of manifests) await createOrReplace(config, collectionOf(manifest.kind), manifest);
  return manifests.map(({ metadata }) => metadata.name);
}

/** Deletes webhook configurations; returns the names of those that were there. */
export async function uninstallWebhooks(config: RestConfig, refs: WebhookConfigurationRef[]): Promise<string[]> {
  const deleted: string[] = [];
  for (const { kind, name } of refs)
    if (await deleteIfThere(config, `${collectionOf(kind)}/${name}`)) deleted.push(name);
  return deleted;
}

/** Which certificate `waitForWebhookServer` accepts, and how long it waits. */
export interface WaitForWebhookServerOptions {
  /** PEM: the authority by which the server's certificate must be good. */
  caPem: string;
  /** Default 10 s. */
  timeoutMs?: number;
}

const pollMs = 20;

/** Resolves when a server answers there with a certificate that the API server will accept. Throws Error when none does in time. */
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

/** What goes wrong, if anything. */
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
