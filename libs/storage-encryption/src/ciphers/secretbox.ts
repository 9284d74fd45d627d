import { randomBytes } from 'node:crypto';
import { xsalsa20poly1305 } from '@noble/ciphers/salsa.js';
import type { ValueTransformer } from '@apichain/storage';
import { storedTooShort } from './errors.ts';

const nonceLength = 24;
const tagLength = 16;

const bufferOf = ({ buffer, byteOffset, length }: Uint8Array): Buffer => Buffer.from(buffer, byteOffset, length);

/**
 * XSalsa20-Poly1305 as NaCl's crypto_secretbox: the tag, then the encrypted message. `nonce` is 24 bytes, `key` 32. Source:
 * https://nacl.cr.yp.to/secretbox.html
 */
export const sealSecretbox = (message: Buffer, nonce: Buffer, key: Buffer): Buffer =>
  bufferOf(xsalsa20poly1305(key, nonce).encrypt(message));

/** Opens a box that is at least as long as a tag. Returns undefined when the box was not made with this key and nonce. */
export function openSecretbox(box: Buffer, nonce: Buffer, key: Buffer): Buffer | undefined {
  const cipher = xsalsa20poly1305(key, nonce);
  try {
    return bufferOf(cipher.decrypt(box));
  } catch (error) {
    if (error instanceof Error && error.message === 'invalid tag') return undefined;
    throw error;
  }
}

/** Encrypts values as a random nonce and a secretbox, not bound to the etcd key. `key` is 32 bytes. */
export function secretboxTransformer(key: Buffer): ValueTransformer {
  return {
    toStorage: (plain) => {
      const nonce = randomBytes(nonceLength);
      return Buffer.concat([nonce, sealSecretbox(plain, nonce, key)]);
    },
    fromStorage: (stored) => {
      if (stored.length < nonceLength + tagLength) throw storedTooShort();
      const plain = openSecretbox(stored.subarray(nonceLength), stored.subarray(0, nonceLength), key);
      if (plain === undefined) throw new Error('output array was not large enough for encryption');
      return { plain, stale: false };
    },
  };
}
