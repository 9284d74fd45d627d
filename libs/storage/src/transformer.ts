import { errorMessage } from '@apichain/meta';

/**
 * Values on their way to and from etcd: where encryption at rest lives. `authenticatedData` is the full etcd key, so that a
 * value moved to another key does not decrypt.
 */
export interface ValueTransformer {
  /** Throws when the value cannot be protected; nothing is written then. */
  toStorage(plain: Buffer, authenticatedData: Buffer): Buffer | Promise<Buffer>;
  /** `stale`: another provider or key would be used to write it today, so the next update rewrites it. Throws when unreadable. */
  fromStorage(stored: Buffer, authenticatedData: Buffer): PlainValue | Promise<PlainValue>;
}

export interface PlainValue {
  readonly plain: Buffer;
  readonly stale: boolean;
}

/** What encrypted values begin with, whatever encrypted them. */
const encryptedPrefix = Buffer.from('k8s:enc:');

export const hasPrefix = (value: Buffer, prefix: Buffer): boolean =>
  value.length >= prefix.length && value.compare(prefix, 0, prefix.length, 0, prefix.length) === 0;

/** Values are stored as they are; an encrypted one is never served as if it were plain. */
export const identityTransformer: ValueTransformer = {
  toStorage: (plain) => plain,
  fromStorage: (stored) => {
    if (hasPrefix(stored, encryptedPrefix)) throw new Error('identity transformer tried to read encrypted data');
    return { plain: stored, stale: false };
  },
};

/** A value that could not be protected or read; the transformer's message, which the client gets as an internal error. */
export class TransformError extends Error {
  override readonly name = 'TransformError';
}

const toTransformError = (error: unknown): TransformError => new TransformError(errorMessage(error), { cause: error });

function withTransformErrors<T>(run: () => T | Promise<T>): T | Promise<T> {
  try {
    const result = run();
    if (!(result instanceof Promise)) return result;
    return result.catch((error: unknown) => {
      throw toTransformError(error);
    });
  } catch (error) {
    throw toTransformError(error);
  }
}

/** The same transformer, whose failures are TransformErrors. */
export const reportingTransformErrors = (transformer: ValueTransformer): ValueTransformer => ({
  toStorage: (plain, authenticatedData) => withTransformErrors(() => transformer.toStorage(plain, authenticatedData)),
  fromStorage: (stored, authenticatedData) =>
    withTransformErrors(() => transformer.fromStorage(stored, authenticatedData)),
});
