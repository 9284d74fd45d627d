import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { ValueTransformer } from '../../transformer.ts';
import { storedTooShort } from './errors.ts';
import { poly1305 } from './poly1305.ts';
import { xsalsa20KeyStream } from './xsalsa20.ts';

const nonceLength = 24;
const tagLength = 16;
/** The head of the key stream is the authenticator's key. */
const authenticatorKeyLength = 32;

function combine(text: Buffer, keyStream: Buffer): Buffer {
  const result = Buffer.allocUnsafe(text.length);
  for (let i = 0; i < text.length; i++) {
    result[i] = (text[i] ?? 0) ^ (keyStream[authenticatorKeyLength + i] ?? 0);
  }
  return result;
}

/** XSalsa20-Poly1305 as NaCl's crypto_secretbox: the tag, then the encrypted message. Source: https://nacl.cr.yp.to/secretbox.html */
export function sealSecretbox(message: Buffer, nonce: Buffer, key: Buffer): Buffer {
  const keyStream = xsalsa20KeyStream(key, nonce, authenticatorKeyLength + message.length);
  const encrypted = combine(message, keyStream);
  return Buffer.concat([poly1305(encrypted, keyStream.subarray(0, authenticatorKeyLength)), encrypted]);
}

/** The message of a box; undefined when the box was not made with this key and nonce. */
export function openSecretbox(box: Buffer, nonce: Buffer, key: Buffer): Buffer | undefined {
  const encrypted = box.subarray(tagLength);
  const keyStream = xsalsa20KeyStream(key, nonce, authenticatorKeyLength + encrypted.length);
  const tag = poly1305(encrypted, keyStream.subarray(0, authenticatorKeyLength));
  return timingSafeEqual(tag, box.subarray(0, tagLength)) ? combine(encrypted, keyStream) : undefined;
}

/** Values as a random nonce and a secretbox; the etcd key is not part of it. `key` is 32 bytes. */
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
