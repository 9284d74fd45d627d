import { parseCertificateBundle, type RequestHeaderSettings } from '@apichain/authn';
import { errorMessage, parseJson, record, type KubeObject } from '@apichain/meta';
import type { X509Certificate } from 'node:crypto';

/** Where the core API publishes how its front proxy and client certificates are recognized. */
export const authenticationConfigMap = {
  namespace: 'kube-system',
  name: 'extension-apiserver-authentication',
} as const;

/** The authorities of client certificates. */
export interface ClientAuthorities {
  /** As published. */
  readonly pem: string;
  readonly certificates: readonly X509Certificate[];
}

/** The settings of front proxies. */
export interface FrontProxies {
  readonly pem: string;
  readonly settings: RequestHeaderSettings;
}

/** The authorities of client certificates in the ConfigMap; undefined = it has none. Throws Error when they cannot be parsed. */
export function clientAuthoritiesOf(configMap: KubeObject): ClientAuthorities | undefined {
  const pem = valueOf(configMap, 'client-ca-file');
  return pem === '' ? undefined : { pem, certificates: certificatesOf(pem, 'client-ca-file') };
}

/** The settings of front proxies in the ConfigMap; undefined = it has none. Throws Error when they cannot be parsed. */
export function frontProxiesOf(configMap: KubeObject): FrontProxies | undefined {
  const key = 'requestheader-client-ca-file';
  const pem = valueOf(configMap, key);
  if (pem === '') return undefined;
  const list = (name: string) => stringsOf(configMap, `requestheader-${name}`);
  return {
    pem,
    settings: {
      clientCAs: certificatesOf(pem, key),
      allowedNames: list('allowed-names'),
      usernameHeaders: list('username-headers'),
      uidHeaders: list('uid-headers'),
      groupHeaders: list('group-headers'),
      extraHeaderPrefixes: list('extra-headers-prefix'),
    },
  };
}

function valueOf(configMap: KubeObject, key: string): string {
  const value = record(configMap['data'])[key];
  return typeof value === 'string' ? value : '';
}

function certificatesOf(pem: string, key: string): X509Certificate[] {
  try {
    return parseCertificateBundle(pem);
  } catch (error) {
    throw new Error(`${key}: ${errorMessage(error)}`, { cause: error });
  }
}

/** A list of strings, as JSON. A missing key is an empty list. */
function stringsOf(configMap: KubeObject, key: string): readonly string[] {
  const text = valueOf(configMap, key);
  if (text === '') return [];
  const value = parseJson(text);
  if (!Array.isArray(value) || !value.every((item) => typeof item === 'string'))
    throw new Error(`${key}: ${JSON.stringify(text)} is not a list of strings`);
  return value;
}
