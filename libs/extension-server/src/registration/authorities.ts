import { createPrivateKey, X509Certificate } from 'node:crypto';
import { pemBlocks } from '@apichain/meta';
import { createCA, type CertificatePair } from '@apichain/serving/certificates';

/**
 * The authorities of a server's certificates. A new one is made more than a certificate's lifetime before the last one expires, and becomes
 * known to the API server before it signs anything. A certificate of an older authority is not replaced: it stays trusted until it is renewed,
 * because the caBundle contains all authorities that have not expired.
 */
export interface Authorities {
  /** Signs new certificates. */
  readonly signing: CertificatePair;
  /** PEM. These have no key any more. */
  readonly older: readonly string[];
}

const dayMs = 24 * 3_600_000;
/** A certificate is valid for a year and must expire before its authority. */
const rotateBeforeMs = (365 + 30) * dayMs;

/** The first authority of a server, or a new one after `current`. */
export async function nextAuthorities(server: string, current?: Authorities): Promise<Authorities> {
  // Authorities of the same name would be hard to tell apart in a bundle.
  const signing = await createCA(`${server}-serving-ca@${Math.floor(Date.now() / 1000)}`);
  return { signing, older: current === undefined ? [] : [current.signing.certificate, ...current.older] };
}

/** Whether the next certificate could outlive its authority. */
export const needRotation = ({ signing }: Authorities): boolean =>
  expiryOf(signing.certificate) - Date.now() < rotateBeforeMs;

/** All authorities that have not expired, in PEM, newest first. */
export function caBundleOf({ signing, older }: Authorities): string {
  const now = Date.now();
  return [signing.certificate, ...older.filter((certificate) => expiryOf(certificate) > now)].map(endLine).join('');
}

const expiryOf = (certificate: string): number => Date.parse(new X509Certificate(certificate).validTo);
const endLine = (pem: string): string => (pem.endsWith('\n') ? pem : `${pem}\n`);

/** The form in which authorities are stored: the certificates in PEM, newest first, and the key of the first. */
export const formatAuthorities = (authorities: Authorities): string =>
  `${caBundleOf(authorities)}${endLine(authorities.signing.key)}`;

/** Parses stored authorities. Throws Error unless they are certificates and the key of the first. */
export function parseAuthorities(text: string): Authorities {
  const blocks = [...pemBlocks(text)];
  const certificates = blocks
    .filter(({ type }) => type === 'CERTIFICATE')
    .map(({ bytes }) => new X509Certificate(bytes));
  const [signing, ...older] = certificates;
  const [keyBlock] = blocks.filter(({ type }) => type === 'PRIVATE KEY');
  if (signing === undefined || keyBlock === undefined) throw new Error('it has no certificate or no key');
  const key = createPrivateKey({ key: keyBlock.bytes, format: 'der', type: 'pkcs8' });
  if (!signing.checkPrivateKey(key)) throw new Error('the key is not that of the first certificate');
  return {
    signing: { certificate: signing.toString(), key: key.export({ format: 'pem', type: 'pkcs8' }).toString() },
    older: older.map((certificate) => certificate.toString()),
  };
}
