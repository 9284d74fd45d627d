import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { ValueTransformer } from '@apichain/storage';
import { storedTooShort } from './errors.ts';

const blockLength = 16;

function withoutPadding(padded: Buffer): Buffer {
  const padding = padded.at(-1) ?? 0;
  if (padding === 0 || padding > padded.length) throw new Error('invalid PKCS7 data (empty or not padded)');
  const end = padded.length - padding;
  if (padded.subarray(end).some((byte) => byte !== padding)) throw new Error('invalid padding on input');
  return padded.subarray(0, end);
}

/**
 * Encrypts values with AES-CBC and PKCS#7 padding, preceded by a random IV. Values are not authenticated. `key` is 16, 24 or 32 bytes. Source:
 * k8s.io/apiserver/pkg/storage/value/encrypt/aes.
 */
export function aesCbcTransformer(key: Buffer): ValueTransformer {
  const algorithm = `aes-${key.length * 8}-cbc`;
  return {
    toStorage: (plain) => {
      const iv = randomBytes(blockLength);
      const cipher = createCipheriv(algorithm, key, iv);
      return Buffer.concat([iv, cipher.update(plain), cipher.final()]);
    },
    fromStorage: (stored) => {
      if (stored.length < blockLength) throw storedTooShort();
      const encrypted = stored.subarray(blockLength);
      if (encrypted.length % blockLength !== 0) {
        throw new Error('the stored data is not a multiple of the block size');
      }
      const decipher = createDecipheriv(algorithm, key, stored.subarray(0, blockLength)).setAutoPadding(false);
      const padded = Buffer.concat([decipher.update(encrypted), decipher.final()]);
      return { plain: withoutPadding(padded), stale: false };
    },
  };
}
