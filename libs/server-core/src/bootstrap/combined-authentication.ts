import { X509Certificate } from 'node:crypto';
import { isRecord } from '@apichain/meta';

type Data = Readonly<Record<string, string>>;

const authorities: readonly string[] = ['client-ca-file', 'requestheader-client-ca-file'];
const names: readonly string[] = [
  'requestheader-username-headers',
  'requestheader-uid-headers',
  'requestheader-group-headers',
  'requestheader-extra-headers-prefix',
  'requestheader-allowed-names',
];

/**
 * What is published of the flags of all servers of a cluster: the names and certificate authorities of `present` and of `own`, each once, without
 * expired certificates. Servers with different flags would otherwise replace each other's data for ever, and extension servers would refuse the
 * requests of some. A present value that cannot be read is dropped. Source: combinedClusterAuthenticationInfo of
 * pkg/controlplane/controller/clusterauthenticationtrust of kubernetes 1.36.
 */
export function combinedAuthentication(present: unknown, own: Data): Record<string, string> {
  const published = isRecord(present) ? present : {};
  const combined: Record<string, string> = {};
  for (const name of [...authorities, ...names]) {
    const texts = [published[name], own[name]].filter((text) => typeof text === 'string');
    if (texts.length === 0) continue;
    const value = authorities.includes(name) ? combinedBundles(texts) : combinedNames(texts);
    if (value !== '') combined[name] = value;
  }
  return combined;
}

function combinedNames(texts: readonly string[]): string {
  return JSON.stringify([...new Set(texts.flatMap(namesOf))]);
}

function namesOf(text: string): string[] {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list.filter((name) => typeof name === 'string') : [];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

const certificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

function combinedBundles(texts: readonly string[]): string {
  const blocks = texts.flatMap((text) => text.match(certificate) ?? []);
  return [...new Set(blocks.flatMap(validCertificate))].join('');
}

/** The certificate as OpenSSL writes it; nothing when it is malformed or has expired. */
function validCertificate(block: string): string[] {
  try {
    const parsed = new X509Certificate(block);
    return Date.parse(parsed.validTo) < Date.now() ? [] : [parsed.toString()];
  } catch (error) {
    if (error instanceof Error) return [];
    throw error;
  }
}
