import type { ValueTransformer } from '../../transformer.ts';

const encryptedPrefix = Buffer.from('k8s:enc:');

export const hasPrefix = (value: Buffer, prefix: Buffer): boolean =>
  value.length >= prefix.length && value.compare(prefix, 0, prefix.length, 0, prefix.length) === 0;

/** Values as they are, except that an encrypted one is never served as if it were plain. */
export const encryptCheckTransformer: ValueTransformer = {
  toStorage: (plain) => plain,
  fromStorage: (stored) => {
    if (hasPrefix(stored, encryptedPrefix)) throw new Error('identity transformer tried to read encrypted data');
    return { plain: stored, stale: false };
  },
};
