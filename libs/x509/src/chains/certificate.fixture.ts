import { generateKeyPairSync, sign, type KeyObject, type SignKeyObjectInput } from 'node:crypto';
import {
  bitString,
  boolean,
  der,
  integer,
  objectIdentifier,
  octets,
  sequence,
  set,
  time,
  type Der,
} from './der-writer.fixture.ts';

/** A pair of keys for tests. */
export interface Keys {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

/** The keys that certificates of tests have. */
export type KeyType =
  | 'p256'
  | 'p224'
  | 'p384'
  | 'p521'
  | 'secp256k1'
  | 'ed25519'
  | 'rsa'
  | 'rsa512'
  | 'rsa1024'
  | 'rsaExponent3';

const makers: Readonly<Record<KeyType, () => Keys>> = {
  p256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  p224: () => generateKeyPairSync('ec', { namedCurve: 'secp224r1' }),
  p384: () => generateKeyPairSync('ec', { namedCurve: 'P-384' }),
  p521: () => generateKeyPairSync('ec', { namedCurve: 'P-521' }),
  secp256k1: () => generateKeyPairSync('ec', { namedCurve: 'secp256k1' }),
  ed25519: () => generateKeyPairSync('ed25519'),
  rsa: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  rsa512: () => generateKeyPairSync('rsa', { modulusLength: 512 }),
  rsa1024: () => generateKeyPairSync('rsa', { modulusLength: 1024 }),
  rsaExponent3: () => generateKeyPairSync('rsa', { modulusLength: 2048, publicExponent: 3 }),
};

/** A new pair of keys. */
export const newKeys = (type: KeyType): Keys => makers[type]();

interface SigningAlgorithm {
  readonly identifier: Der;
  readonly hash: string | null;
  readonly options?: Omit<SignKeyObjectInput, 'key'>;
}

const asn1Null = der(0x05);
const plain = (type: string): Der => sequence(objectIdentifier(type));
const withNull = (type: string): Der => sequence(objectIdentifier(type), asn1Null);
const sha256 = withNull('2.16.840.1.101.3.4.2.1');
const mgf1 = sequence(objectIdentifier('1.2.840.113549.1.1.8'), sha256);
const pss = (saltLength: number): Der =>
  sequence(
    objectIdentifier('1.2.840.113549.1.1.10'),
    sequence(der(0xa0, sha256), der(0xa1, mgf1), der(0xa2, integer(saltLength))),
  );

/** The algorithms with which certificates of tests are signed. */
export const signatures = {
  ecdsaSha256: { identifier: plain('1.2.840.10045.4.3.2'), hash: 'sha256' },
  ecdsaSha384: { identifier: plain('1.2.840.10045.4.3.3'), hash: 'sha384' },
  ecdsaSha224: { identifier: plain('1.2.840.10045.4.3.1'), hash: 'sha224' },
  ecdsaSha512: { identifier: plain('1.2.840.10045.4.3.4'), hash: 'sha512' },
  ecdsaSha1: { identifier: plain('1.2.840.10045.4.1'), hash: 'sha1' },
  rsaSha256: { identifier: withNull('1.2.840.113549.1.1.11'), hash: 'sha256' },
  rsaSha512: { identifier: withNull('1.2.840.113549.1.1.13'), hash: 'sha512' },
  rsaWithoutNull: { identifier: plain('1.2.840.113549.1.1.11'), hash: 'sha256' },
  rsaSha1: { identifier: withNull('1.2.840.113549.1.1.5'), hash: 'sha1' },
  rsaMd5: { identifier: withNull('1.2.840.113549.1.1.4'), hash: 'md5' },
  pssSha256: { identifier: pss(32), hash: 'sha256', options: { padding: 6, saltLength: 32 } },
  pssShortSalt: { identifier: pss(20), hash: 'sha256', options: { padding: 6, saltLength: 20 } },
  ed25519: { identifier: plain('1.3.101.112'), hash: null },
} satisfies Readonly<Record<string, SigningAlgorithm>>;

/** The name of an algorithm. */
export type SignatureName = keyof typeof signatures;

const ownSignature: Readonly<Record<string, SignatureName>> = {
  ec: 'ecdsaSha256',
  ed25519: 'ed25519',
  rsa: 'rsaSha256',
};

/** What a certificate of a test contains. Everything is encoded as given. */
export interface CertificateContent {
  /** 1 to 3. Default: 3. */
  readonly version?: number;
  readonly serial?: Der;
  readonly issuer: Der;
  readonly subject: Der;
  /** Milliseconds since the epoch; the end also as it is to stand there. */
  readonly notBefore: number;
  readonly notAfter: number | Der;
  readonly publicKey: KeyObject;
  readonly extensions?: readonly Der[];
}

/** Encodes and signs a certificate. Default of `signature`: with SHA-256. */
export function encodeCertificate(
  content: CertificateContent,
  signingKey: KeyObject,
  signature?: SignatureName,
): Buffer {
  const {
    version = 3,
    serial = integer(1),
    issuer,
    subject,
    notBefore,
    notAfter,
    publicKey,
    extensions = [],
  } = content;
  const name = signature ?? ownSignature[signingKey.asymmetricKeyType ?? ''] ?? 'ecdsaSha256';
  const { identifier, hash, options = {} }: SigningAlgorithm = signatures[name];
  const signed = sequence(
    ...(version === 1 ? [] : [der(0xa0, integer(version - 1))]),
    serial,
    identifier,
    issuer,
    sequence(time(notBefore), Buffer.isBuffer(notAfter) ? notAfter : time(notAfter)),
    subject,
    publicKey.export({ format: 'der', type: 'spki' }),
    ...(extensions.length === 0 ? [] : [der(0xa3, sequence(...extensions))]),
  );
  return sequence(signed, identifier, bitString(sign(hash, signed, { key: signingKey, ...options })));
}

const attributeTypes = { CN: '2.5.4.3', O: '2.5.4.10', uid: '1.3.6.1.4.1.57683.2' } as const;

/** The tags of strings. */
export const strings = { utf8: 0x0c, printable: 0x13, t61: 0x14, bmp: 0x1e } as const;

/** One attribute of a name. */
export const attribute = (type: keyof typeof attributeTypes, value: string | Buffer, tag: number = strings.utf8): Der =>
  sequence(objectIdentifier(attributeTypes[type]), der(tag, Buffer.from(value)));

/** A name of attributes, each in a set of its own. */
export const nameOf = (...attributes: readonly Der[]): Der => sequence(...attributes.map((one) => set(one)));

/** An extension. */
export const extension = (type: string, value: Der, isCritical = false): Der =>
  sequence(objectIdentifier(type), ...(isCritical ? [boolean(true)] : []), octets(value));

/** The extensions of certificates, by what they say. */
export const extensions = {
  ca: (maxPathLength?: number): Der =>
    extension(
      '2.5.29.19',
      sequence(boolean(true), ...(maxPathLength === undefined ? [] : [integer(maxPathLength)])),
      true,
    ),
  noCA: extension('2.5.29.19', sequence(), true),
  /** `bits` from digitalSignature (0) on. */
  keyUsage: (...bits: readonly number[]): Der =>
    extension('2.5.29.15', bitString(Buffer.from([bits.reduce((byte, bit) => byte | (0x80 >> bit), 0)])), true),
  usages: (isCritical: boolean, ...types: readonly string[]): Der =>
    extension('2.5.29.37', sequence(...types.map(objectIdentifier)), isCritical),
  names: (...names: readonly Der[]): Der => extension('2.5.29.17', sequence(...names)),
  nameConstraints: (permitted: readonly Der[], excluded: readonly Der[] = [], isCritical = true): Der =>
    extension(
      '2.5.29.30',
      sequence(
        ...(permitted.length === 0 ? [] : [der(0xa0, ...permitted.map((base) => sequence(base)))]),
        ...(excluded.length === 0 ? [] : [der(0xa1, ...excluded.map((base) => sequence(base)))]),
      ),
      isCritical,
    ),
  subjectKeyId: (id: string, isCritical = false): Der => extension('2.5.29.14', octets(Buffer.from(id)), isCritical),
  authorityKeyId: (id: string, isCritical = false): Der =>
    extension('2.5.29.35', sequence(der(0x80, Buffer.from(id))), isCritical),
  policies: (...types: readonly string[]): Der =>
    extension('2.5.29.32', sequence(...types.map((type) => sequence(objectIdentifier(type))))),
  requireExplicitPolicy: extension('2.5.29.36', sequence(der(0x80, Buffer.from([0]))), true),
  /** The numbers of certificates after which a policy is required, and mappings are inhibited. */
  policyConstraints: (explicit?: number, mapping?: number): Der =>
    extension(
      '2.5.29.36',
      sequence(
        ...(explicit === undefined ? [] : [der(0x80, Buffer.from([explicit]))]),
        ...(mapping === undefined ? [] : [der(0x81, Buffer.from([mapping]))]),
      ),
      true,
    ),
  inhibitAnyPolicy: (after: number): Der => extension('2.5.29.54', integer(after), true),
  policyMapping: (issuer: string, subject: string): Der =>
    extension('2.5.29.33', sequence(sequence(objectIdentifier(issuer), objectIdentifier(subject))), true),
  unknown: (isCritical: boolean): Der => extension('1.2.3.4.5', octets(Buffer.from('x')), isCritical),
} as const;

/** Names of subjects and of constraints. */
export const generalNames = {
  email: (text: string): Der => der(0x81, Buffer.from(text)),
  dns: (text: string): Der => der(0x82, Buffer.from(text)),
  directory: (name: Der): Der => der(0xa4, name),
  uri: (text: string): Der => der(0x86, Buffer.from(text)),
  /** Bytes of an address; for a constraint followed by those of the mask. */
  ip: (...bytes: readonly number[]): Der => der(0x87, Buffer.from(bytes)),
} as const;
