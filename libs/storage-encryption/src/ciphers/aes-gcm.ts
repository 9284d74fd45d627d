import { createCipheriv, createDecipheriv, randomBytes, createHmac, type CipherGCMTypes } from 'node:crypto';
import type { ValueTransformer } from '@apichain/storage';
import { storedTooShort } from './errors.ts';

const nonceLength = 12;
const tagLength = 16;

const algorithmOf = (key: Buffer): CipherGCMTypes => {
  switch (key.length) {
    case 16:
      return 'aes-128-gcm';
    case 24:
      return 'aes-192-gcm';
    case 32:
      return 'aes-256-gcm';
    default:
      throw new Error(`crypto/aes: invalid key size ${key.length}`);
  }
};

/**
 * Encrypts values with AES-GCM: a random nonce, the ciphertext and the tag, bound to the etcd key. Throws Error for a key that is not 16, 24 or 32
 * bytes.
 */
export function aesGcmTransformer(key: Buffer): ValueTransformer {
  const algorithm = algorithmOf(key);
  return {
    toStorage: (plain, authenticatedData) => {
      const nonce = randomBytes(nonceLength);
      const cipher = createCipheriv(algorithm, key, nonce).setAAD(authenticatedData);
      return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
    },
    fromStorage: (stored, authenticatedData) => {
      if (stored.length < nonceLength) throw storedTooShort();
      if (stored.length < nonceLength + tagLength) throw notAuthentic();
      const tagAt = stored.length - tagLength;
      const decipher = createDecipheriv(algorithm, key, stored.subarray(0, nonceLength), {
        authTagLength: tagLength,
      })
        .setAAD(authenticatedData)
        .setAuthTag(stored.subarray(tagAt));
      const head = decipher.update(stored.subarray(nonceLength, tagAt));
      try {
        return { plain: Buffer.concat([head, decipher.final()]), stale: false };
      } catch {
        throw notAuthentic();
      }
    },
  };
}

/** The message of Go's crypto/cipher, because clients see it. */
const notAuthentic = (): Error => new Error('cipher: message authentication failed');

const infoLength = 32;
export const seedLength = 32;

/** HKDF-Expand to one block of SHA-256, which is the length of the key. Source: RFC 5869, section 2.3. */
export const expandKey = (seed: Buffer, info: Buffer): Buffer =>
  createHmac('sha256', seed)
    .update(info)
    .update(Buffer.from([1]))
    .digest();

/**
 * Encrypts values with AES-GCM, preceded by 32 random bytes of info. HKDF expands the key from the seed and that info. Each write has its own key,
 * so random nonces never exhaust a key. Throws Error for a seed shorter than 32 bytes. Source:
 * k8s.io/apiserver/pkg/storage/value/encrypt/aes/aes_extended_nonce.go.
 */
export function extendedNonceGcmTransformer(seed: Buffer): ValueTransformer {
  if (seed.length < seedLength) throw new Error(`invalid seed length ${seed.length} used for key generation`);
  return {
    toStorage: async (plain, authenticatedData) => {
      const info = randomBytes(infoLength);
      const encrypted = await aesGcmTransformer(expandKey(seed, info)).toStorage(plain, authenticatedData);
      return Buffer.concat([info, encrypted]);
    },
    fromStorage: (stored, authenticatedData) => {
      if (stored.length < infoLength) throw storedTooShort();
      const key = expandKey(seed, stored.subarray(0, infoLength));
      return aesGcmTransformer(key).fromStorage(stored.subarray(infoLength), authenticatedData);
    },
  };
}
