import { DerReader, type DerValue } from './der.ts';
import type { KeyAlgorithm } from './public-key.ts';

/** The algorithms that Go accepts for certificates. SHA-1, MD5 and DSA are not among them. */
const algorithms: ReadonlyMap<string, KeyAlgorithm> = new Map([
  ['1.2.840.113549.1.1.11', 'rsa'],
  ['1.2.840.113549.1.1.12', 'rsa'],
  ['1.2.840.113549.1.1.13', 'rsa'],
  ['1.2.840.10045.4.3.2', 'ecdsa'],
  ['1.2.840.10045.4.3.3', 'ecdsa'],
  ['1.2.840.10045.4.3.4', 'ecdsa'],
  ['1.3.101.112', 'ed25519'],
]);

const pss = '1.2.840.113549.1.1.10';
const mgf1 = '06092a864886f70d010108';

/** PSS with one hash function, also for the mask, and a salt of its length. */
const pssForms: ReadonlySet<string> = new Set(
  [
    { hash: '0609608648016503040201', saltLength: '20' },
    { hash: '0609608648016503040202', saltLength: '30' },
    { hash: '0609608648016503040203', saltLength: '40' },
  ].flatMap(({ hash, saltLength }) => {
    const [withNull, without] = [`300d${hash}0500`, `300b${hash}`];
    return [withNull, without].flatMap((digest) =>
      [withNull, without].map((mask) => {
        const mask1 = sequence(`${mgf1}${mask}`);
        return sequence(`${explicit(0, digest)}${explicit(1, mask1)}a2030201${saltLength}`);
      }),
    );
  }),
);

function sequence(hex: string): string {
  return `30${length(hex)}${hex}`;
}

function explicit(number: number, hex: string): string {
  return `a${number}${length(hex)}${hex}`;
}

function length(hex: string): string {
  return (hex.length / 2).toString(16).padStart(2, '0');
}

/** The kind of key that makes such a signature; undefined when Go does not accept the algorithm. Throws DerError. */
export function signatureAlgorithm({ content }: DerValue): KeyAlgorithm | undefined {
  const reader = new DerReader(content);
  const type = reader.objectIdentifier();
  const parameters = reader.isAtEnd ? undefined : reader.any().element;
  if (type === pss) return parameters !== undefined && pssForms.has(parameters.toString('hex')) ? 'rsa' : undefined;
  const algorithm = algorithms.get(type);
  return algorithm === 'ed25519' && parameters !== undefined ? undefined : algorithm;
}
