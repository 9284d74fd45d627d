import { existsSync, readFileSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import { hasErrorCode } from '@apichain/meta';
import type { HttpTransportOptions } from './transport.ts';

const directoryOfPods = '/var/run/secrets/kubernetes.io/serviceaccount';

/** The file with the namespace of a pod. */
export const namespaceFile = join(directoryOfPods, 'namespace');

/** This process does not run in a pod. */
export class NotInClusterError extends Error {
  override readonly name = 'NotInClusterError';
}

/** Where the configuration of a pod is. */
export interface PodPlaces {
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** With the files `token` and `ca.crt` of the service account. */
  readonly directory?: string;
}

/**
 * The connection options of a pod: the API server in its environment, and its service account. Throws NotInClusterError outside of a pod, and
 * Error when the token is missing. After `InClusterConfig` of k8s.io/client-go/rest.
 */
export function inClusterConfig({
  env = process.env,
  directory = directoryOfPods,
}: PodPlaces = {}): HttpTransportOptions {
  const { KUBERNETES_SERVICE_HOST: host = '', KUBERNETES_SERVICE_PORT: port = '' } = env;
  if (host === '' || port === '')
    throw new NotInClusterError(
      'unable to load in-cluster configuration, KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT must be defined',
    );
  const tokenFile = join(directory, 'token');
  if (!existsSync(tokenFile)) throw new Error(`open ${tokenFile}: no such file or directory`);
  const ca = readIfPresent(join(directory, 'ca.crt'));
  return {
    url: `https://${isIPv6(host) ? `[${host}]` : host}:${port}`,
    tokenFile,
    ...(ca === undefined ? {} : { ca }),
  };
}

/** Without the file, the authorities of the host are trusted. */
function readIfPresent(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}
