import type { X509Certificate } from 'node:crypto';
import { constructed, DerError, DerReader, primitive, smallInteger, tags, timeOf } from './der.ts';
import { checkName } from './distinguished-name.ts';
import { checkSerialNumber, readExtensions, type Extensions } from './extensions.ts';
import { publicKeyFacts, type KeyAlgorithm, type PublicKeyFacts } from './public-key.ts';
import { signatureAlgorithm } from './signature-algorithm.ts';

/** A certificate as path validation needs it. OpenSSL has parsed it, too, and verifies its signature. */
export interface Certificate {
  readonly x509: X509Certificate;
  /** 1 to 3. */
  readonly version: number;
  /** Names and keys in hexadecimal DER: they are compared byte by byte. */
  readonly issuer: string;
  readonly subject: string;
  readonly publicKey: string;
  /** Milliseconds since the epoch. */
  readonly notBefore: number;
  readonly notAfter: number;
  readonly key: PublicKeyFacts;
  /** Undefined when the signature is of a kind that is not accepted. */
  readonly signature: KeyAlgorithm | undefined;
  readonly extensions: Extensions;
}

/** The result depends on the certificate alone. */
const parsed = new WeakMap<X509Certificate, Certificate>();

/**
 * Reads what Node's X509Certificate does not tell: critical extensions, path lengths, name constraints, policies. It is as strict as Go's
 * x509.ParseCertificate, in whatever could make a difference for a chain. Throws Error for a certificate that is not well-formed.
 */
export function readCertificate(x509: X509Certificate): Certificate {
  let certificate = parsed.get(x509);
  if (certificate === undefined) {
    try {
      certificate = parse(x509);
    } catch (error) {
      if (!(error instanceof DerError)) throw error;
      throw new Error(`x509: malformed certificate: ${error.message}`, { cause: error });
    }
    parsed.set(x509, certificate);
  }
  return certificate;
}

function parse(x509: X509Certificate): Certificate {
  const outer = new DerReader(x509.raw);
  const certificate = outer.inner(tags.sequence);
  outer.end();
  const content = certificate.inner(tags.sequence);
  const outerAlgorithm = certificate.value(tags.sequence);
  certificate.bits();
  const written = content.optional(constructed(0));
  const version = written === undefined ? 1 : versionOf(written.content);
  checkSerialNumber(content.value(tags.integer));
  const algorithm = content.value(tags.sequence);
  if (!algorithm.element.equals(outerAlgorithm.element)) throw new DerError('two signature algorithms');
  const signature = signatureAlgorithm(algorithm);
  const { element: issuer } = content.value(tags.sequence);
  checkName(issuer);
  const validity = content.inner(tags.sequence);
  const [notBefore, notAfter] = [timeOf(validity.any()), timeOf(validity.any())];
  const { element: subject } = content.value(tags.sequence);
  checkName(subject);
  const { element: publicKey } = content.value(tags.sequence);
  const key = publicKeyFacts(publicKey);
  return {
    x509,
    version,
    issuer: issuer.toString('hex'),
    subject: subject.toString('hex'),
    publicKey: publicKey.toString('hex'),
    notBefore,
    notAfter,
    key,
    signature,
    extensions: extensionsOf(content, version),
  };
}

function versionOf(content: Buffer): number {
  const version = smallInteger(new DerReader(content).value(tags.integer)) + 1;
  if (version > 3) throw new DerError('an unknown version');
  return version;
}

function extensionsOf(content: DerReader, version: number): Extensions {
  if (version > 1) {
    content.optional(primitive(1));
    content.optional(primitive(2));
  }
  const list = version === 3 ? content.optional(constructed(3)) : undefined;
  if (list === undefined) return { hasUnhandledCritical: false };
  return readExtensions(new DerReader(list.content).inner(tags.sequence));
}
