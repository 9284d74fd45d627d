import type { Secret } from '@apichain/api/core/v1';
import { createPrivateKey, type X509Certificate, type KeyObject } from 'node:crypto';
import { certificateOf } from '@apichain/kinds-validation';
import { type PemBlock, pemBlocks } from '@apichain/meta';

const blocksOf = (data: string | undefined): PemBlock[] => [
  ...pemBlocks(Buffer.from(data ?? '', 'base64').toString('latin1')),
];

const isKey = (type: string): boolean => type === 'PRIVATE KEY' || type.endsWith(' PRIVATE KEY');
const listed = (blocks: readonly PemBlock[]): string => `[${blocks.map(({ type }) => type).join(' ')}]`;

/** The warning when no block is a certificate; undefined when one is. */
function noCertificate(blocks: readonly PemBlock[]): string | undefined {
  if (blocks.some(({ type }) => type === 'CERTIFICATE')) return undefined;
  const [only] = blocks;
  if (only === undefined) return 'tls: failed to find any PEM data in certificate input';
  if (blocks.length === 1 && only.type.endsWith('PRIVATE KEY')) {
    return 'tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched';
  }
  return `tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: ${listed(blocks)}`;
}

/** The warning when no block is a private key; undefined when one is. */
function noKey(blocks: readonly PemBlock[]): string | undefined {
  if (blocks.some(({ type }) => isKey(type))) return undefined;
  const [only] = blocks;
  if (only === undefined) return 'tls: failed to find any PEM data in key input';
  if (blocks.length === 1 && only.type === 'CERTIFICATE') {
    return 'tls: found a certificate rather than a key in the PEM for the private key';
  }
  return `tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: ${listed(blocks)}`;
}

/** Like Go, tries all three encodings, regardless of the block type. */
function parsedKey(bytes: Buffer): KeyObject | undefined {
  for (const type of ['pkcs1', 'pkcs8', 'sec1'] as const) {
    try {
      return createPrivateKey({ key: bytes, format: 'der', type });
    } catch {
      continue;
    }
  }
  return undefined;
}

function mismatch(certificate: X509Certificate, key: KeyObject): string | undefined {
  if (certificate.checkPrivateKey(key)) return undefined;
  return certificate.publicKey.asymmetricKeyType === key.asymmetricKeyType
    ? 'tls: private key does not match public key'
    : 'tls: private key type does not match public key type';
}

/** Warnings when the certificate and the key of a TLS secret do not match, with the texts of Go's tls.X509KeyPair. */
export function tlsWarnings(secret: Secret): string[] {
  if (secret.type !== 'kubernetes.io/tls') return [];
  const data = secret.data ?? {};
  const certificates = blocksOf(data['tls.crt']);
  const keys = blocksOf(data['tls.key']);
  const missing = noCertificate(certificates) ?? noKey(keys);
  if (missing !== undefined) return [missing];
  const certificate = certificateOf(certificates.find(({ type }) => type === 'CERTIFICATE')?.bytes ?? Buffer.of());
  if (certificate === undefined) return ['x509: malformed certificate'];
  const key = parsedKey(keys.find(({ type }) => isKey(type))?.bytes ?? Buffer.of());
  if (key === undefined) return ['tls: failed to parse private key'];
  const reason = mismatch(certificate, key);
  return reason === undefined ? [] : [reason];
}
