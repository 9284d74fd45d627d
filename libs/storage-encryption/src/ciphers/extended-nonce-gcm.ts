import { createHmac, randomBytes } from 'node:crypto';
import type { ValueTransformer } from '@apichain/storage';
import { aesGcmTransformer } from './aes-gcm.ts';
import { storedTooShort } from './errors.ts';

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
