import { readFileSync } from 'node:fs';
import { loadKubeconfig, type HttpTransportOptions } from '@apichain/client';
import { UsageError } from './command.ts';

/** The flags with the credentials of a running server. `ca`, `cert` and `key` name PEM files. */
export const credentialFlags = {
  kubeconfig: { type: 'string' },
  ca: { type: 'string' },
  cert: { type: 'string' },
  key: { type: 'string' },
  token: { type: 'string' },
  insecure: { type: 'boolean' },
} as const;

/** The values of `credentialFlags`. */
export interface Credentials {
  readonly kubeconfig?: string;
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly token?: string;
  readonly insecure?: boolean;
}

/**
 * How to reach the server at an address, by default that of the kubeconfig. The other flags take precedence over the kubeconfig. Throws UsageError if there
 * is no URL, and Error for a file that cannot be read.
 */
export function connectionOf(address: string | undefined, credentials: Credentials): HttpTransportOptions {
  const { kubeconfig, ca, cert, key, token, insecure } = credentials;
  const base = kubeconfig === undefined ? undefined : loadKubeconfig(kubeconfig);
  const url = address ?? base?.url;
  if (url === undefined) throw new UsageError('a URL or --kubeconfig must say which server');
  if (!/^https?:/.test(url) || !URL.canParse(url)) throw new UsageError(`${url} is no URL`);
  const pem = (file: string | undefined) => (file === undefined ? undefined : readFileSync(file, 'utf8'));
  const given = Object.entries({ ca: pem(ca), cert: pem(cert), key: pem(key), token });
  return {
    ...base,
    ...Object.fromEntries(given.filter(([, value]) => value !== undefined)),
    ...(insecure === true ? { insecureSkipTlsVerify: true } : {}),
    url: url.replace(/\/$/, ''),
  };
}
