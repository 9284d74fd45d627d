import { setTimeout as sleep } from 'node:timers/promises';
import { readKinds, type NamedManifest } from './manifests.ts';
import { createOrReplace, deleteIfThere, restRequestOk, type RestConfig } from './rest.ts';
import { rewriteConversionWebhooks, type CRDConversionTarget } from './webhooks.ts';

/** A CustomResourceDefinition in a manifest. */
export interface CRDManifest extends NamedManifest {
  spec?: CRDConversionTarget['spec'];
  [field: string]: unknown;
}

/** Options of `installCRDs`. */
export interface InstallCRDsOptions {
  /** Installed before the CRDs of the paths. */
  crds?: CRDManifest[];
  /** Whether a path that does not exist is an error. Default true. */
  errorIfPathMissing?: boolean;
  /** How long a CRD may take to be established. Default 10 s. */
  establishTimeoutMs?: number;
  /** Default 100. */
  pollIntervalMs?: number;
  /** Whether `stop` deletes the CRDs from an existing cluster. Default: false. */
  cleanUpAfterUse?: boolean;
  /** The webhook server for CRDs whose conversion uses a webhook. */
  conversionWebhook?: { host: string; port: number; caPem: string };
}

const collection = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** Reads the CRDs that installCRDs or uninstallCRDs processes. */
export function readCRDs(
  paths: readonly string[],
  { crds = [], errorIfPathMissing = true }: Pick<InstallCRDsOptions, 'crds' | 'errorIfPathMissing'> = {},
): CRDManifest[] {
  return [...crds, ...(readKinds(paths, ['CustomResourceDefinition'], errorIfPathMissing) as CRDManifest[])];
}

/** Creates or replaces CRDs, waits until they are established, and returns their names. Throws Error when the server rejects a CRD. */
export async function installCRDs(
  config: RestConfig,
  paths: string[],
  options: InstallCRDsOptions = {},
): Promise<string[]> {
  const { conversionWebhook: webhook, establishTimeoutMs = 10_000, pollIntervalMs = 100 } = options;
  if (!(pollIntervalMs > 0 && Number.isFinite(pollIntervalMs)))
    throw new RangeError(`pollIntervalMs must be a positive number, not ${pollIntervalMs}`);
  const read = readCRDs(paths, options);
  const crds =
    webhook === undefined ? read : rewriteConversionWebhooks(read, webhook.host, webhook.port, webhook.caPem);
  for (const crd of crds) await createOrReplace(config, collection, crd);
  const deadline = performance.now() + establishTimeoutMs;
  for (const { metadata } of crds) {
    while (!(await isEstablished(config, metadata.name))) {
      if (performance.now() > deadline)
        throw new Error(`CustomResourceDefinition ${metadata.name} is not established after ${establishTimeoutMs} ms`);
      await sleep(pollIntervalMs);
    }
  }
  return crds.map(({ metadata }) => metadata.name);
}

async function isEstablished(config: RestConfig, name: string): Promise<boolean> {
  const response = await restRequestOk(config, 'GET', `${collection}/${name}`);
  const { status } = response.json as { status?: { conditions?: { type: string; status: string }[] } };
  return (status?.conditions ?? []).some(
    (condition) => condition.type === 'Established' && condition.status === 'True',
  );
}

/** Deletes the CRDs named in manifests. Returns the names of those that existed. */
export async function uninstallCRDs(
  config: RestConfig,
  paths: string[],
  options: Pick<InstallCRDsOptions, 'crds' | 'errorIfPathMissing'> = {},
): Promise<string[]> {
  return deleteCRDs(
    config,
    readCRDs(paths, options).map(({ metadata }) => metadata.name),
  );
}

/** Deletes CRDs by name. Returns the names of those that existed. */
export async function deleteCRDs(config: RestConfig, names: string[]): Promise<string[]> {
  const deleted: string[] = [];
  for (const name of names) if (await deleteIfThere(config, `${collection}/${name}`)) deleted.push(name);
  return deleted;
}
