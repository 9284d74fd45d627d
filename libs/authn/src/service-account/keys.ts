import { createHash, createPrivateKey, createPublicKey, X509Certificate, type KeyObject } from 'node:crypto';

export type SigningAlgorithm = 'RS256' | 'ES256' | 'ES384' | 'ES512';

/** A public key that verifies tokens. */
export interface VerificationKey {
  /** SHA-256 of the key's DER form, base64url: the `kid` of tokens and of the JSON web key set. */
  readonly id: string;
  readonly algorithm: SigningAlgorithm;
  readonly key: KeyObject;
}

/** The private key that signs tokens, and its public half. */
export interface SigningKey extends VerificationKey {
  readonly privateKey: KeyObject;
}

const pemBlock = /-----BEGIN ([A-Z0-9 ]+)-----[\s\S]+?-----END \1-----/g;
const curves: ReadonlyMap<string, SigningAlgorithm> = new Map([
  ['prime256v1', 'ES256'],
  ['secp384r1', 'ES384'],
  ['secp521r1', 'ES512'],
]);
/** RFC 7518, section 3.3. */
const leastModulusLength = 2048;

function verificationKey(key: KeyObject): VerificationKey {
  const der = key.export({ type: 'spki', format: 'der' });
  return { id: createHash('sha256').update(der).digest('base64url'), algorithm: algorithmOf(key), key };
}

function algorithmOf(key: KeyObject): SigningAlgorithm {
  const { modulusLength = 0, namedCurve = '' } = key.asymmetricKeyDetails ?? {};
  if (key.asymmetricKeyType === 'rsa') {
    if (modulusLength < leastModulusLength)
      throw new Error(`an RSA key must have ${leastModulusLength} bits or more, this one has ${modulusLength}`);
    return 'RS256';
  }
  const algorithm = curves.get(namedCurve);
  if (algorithm === undefined) throw new Error('unknown key type, must be an RSA or ECDSA key');
  return algorithm;
}

/** Every public key in a PEM file, including those of private keys and certificates. Throws Error when there is none. */
export function parsePublicKeys(pem: string): VerificationKey[] {
  const keys = [...pem.matchAll(pemBlock)]
    .filter(([, label]) => label !== 'EC PARAMETERS')
    .map(([block, label]) =>
      verificationKey(label === 'CERTIFICATE' ? new X509Certificate(block).publicKey : createPublicKey(block)),
    );
  if (keys.length === 0) throw new Error('data does not contain any valid RSA or ECDSA public keys');
  return keys;
}

/** Throws Error unless the PEM text contains an RSA or ECDSA private key. */
export function parseSigningKey(pem: string): SigningKey {
  const privateKey = createPrivateKey(pem);
  return { ...verificationKey(createPublicKey(privateKey)), privateKey };
}
