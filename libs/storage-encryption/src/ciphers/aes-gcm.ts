import { createCipheriv, createDecipheriv, randomBytes, type CipherGCMTypes } from 'node:crypto';
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
