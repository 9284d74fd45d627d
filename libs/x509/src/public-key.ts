import { DerError, DerReader, integerBytes, smallInteger, tags } from './der.ts';

/** The algorithms whose signatures Go verifies. */
export type KeyAlgorithm = 'rsa' | 'ecdsa' | 'ed25519';

/** The part of a public key that decides what it may do here. */
export interface PublicKeyFacts {
  readonly algorithm: KeyAlgorithm | 'other';
  /** Whether Go verifies signatures with the key: an RSA key must have at least 1024 bits and an ordinary exponent. */
  readonly verifies: boolean;
}

const curves: ReadonlySet<string> = new Set(['1.3.132.0.33', '1.2.840.10045.3.1.7', '1.3.132.0.34', '1.3.132.0.35']);
const asn1Null = '0500';
const ed25519KeyLength = 32;
const minRsaBits = 1024;
const maxRsaBits = 8192;
const maxExponent = 2 ** 31 - 1;

/** Reads a SubjectPublicKeyInfo. Throws DerError for keys with which Go does not read a certificate, or ends the handshake. */
export function publicKeyFacts(element: Buffer): PublicKeyFacts {
  const info = new DerReader(element).inner(tags.sequence);
  const algorithm = info.inner(tags.sequence);
  const type = algorithm.objectIdentifier();
  const parameters = algorithm.isAtEnd ? undefined : algorithm.any();
  const key = info.bits();
  switch (type) {
    case '1.2.840.113549.1.1.1':
      if (parameters?.element.toString('hex') !== asn1Null) throw new DerError('an RSA key without NULL parameters');
      return rsa(key);
    case '1.2.840.10045.2.1':
      if (parameters === undefined || !curves.has(new DerReader(parameters.element).objectIdentifier()))
        throw new DerError('an unsupported elliptic curve');
      if (key[0] !== 4) throw new DerError('a compressed elliptic curve key');
      return { algorithm: 'ecdsa', verifies: true };
    case '1.3.101.112':
      if (parameters !== undefined || key.length !== ed25519KeyLength) throw new DerError('an invalid Ed25519 key');
      return { algorithm: 'ed25519', verifies: true };
    default:
      return { algorithm: 'other', verifies: false };
  }
}

function rsa(key: Buffer): PublicKeyFacts {
  const numbers = new DerReader(key).inner(tags.sequence);
  const modulus = integerBytes(numbers.value(tags.integer));
  const exponent = smallInteger(numbers.value(tags.integer));
  if ((modulus[0] ?? 0) >= 0x80 || exponent === 0) throw new DerError('an invalid RSA key');
  const bits = bitLength(modulus);
  if (bits === 0) throw new DerError('an invalid RSA key');
  if (bits > maxRsaBits) throw new DerError(`an RSA key larger than ${maxRsaBits} bits`);
  const isOdd = ((modulus.at(-1) ?? 0) & 1) === 1;
  const isOrdinary = exponent > 1 && exponent % 2 === 1 && exponent <= maxExponent;
  return { algorithm: 'rsa', verifies: bits >= minRsaBits && isOdd && isOrdinary };
}

function bitLength(number: Buffer): number {
  const start = number.findIndex((byte) => byte !== 0);
  return start < 0 ? 0 : (number.length - start) * 8 - Math.clz32(number[start] ?? 0) + 24;
}
