import { errorMessage } from '@apichain/meta';

/**
 * Transforms values before they are written to etcd and after they are read: this is where encryption at rest takes place. `authenticatedData` is
 * the full etcd key, so that a value moved to another key cannot be decrypted.
 */
export interface ValueTransformer {
  /** Throws when the value cannot be encrypted; nothing is written then. */
  toStorage(plain: Buffer, authenticatedData: Buffer): Buffer | Promise<Buffer>;
  /** `stale`: a write today would use another provider or key, so the next update rewrites the value. Throws when the value is unreadable. */
  fromStorage(stored: Buffer, authenticatedData: Buffer): PlainValue | Promise<PlainValue>;
}

/** A value as it was before it was stored. */
export interface PlainValue {
  readonly plain: Buffer;
  readonly stale: boolean;
}

/** The prefix of every encrypted value, whatever its provider. */
const encryptedPrefix = Buffer.from('k8s:enc:');

/** Whether a value begins with these bytes. */
export const hasPrefix = (value: Buffer, prefix: Buffer): boolean =>
  value.length >= prefix.length && value.compare(prefix, 0, prefix.length, 0, prefix.length) === 0;

const colon = 0x3a;
/** The longest beginning of an encrypted value that names its provider and its key. */
const longestHead = 256;

/**
 * How a value was encrypted, e.g. `aescbc, key "key1"`; undefined = it is not encrypted. Source of the form `k8s:enc:PROVIDER:VERSION:KEY:`:
 * https://kubernetes.io/docs/tasks/administer-cluster/encrypt-data/
 */
export function encryptionOf(value: Buffer): string | undefined {
  // Most values are in protobuf, which has another byte there: `k8s\0`.
  if (value[3] !== colon || !hasPrefix(value, encryptedPrefix)) return undefined;
  const [, , provider = '', version = '', name = ''] = value.toString('latin1', 0, longestHead).split(':');
  return provider === 'kms' ? `kms ${version}, plugin "${name}"` : `${provider}, key "${name}"`;
}

/** Stores values unencrypted. An encrypted value is never served as plain data. */
export const identityTransformer: ValueTransformer = {
  toStorage: (plain) => plain,
  fromStorage: (stored) => {
    if (hasPrefix(stored, encryptedPrefix)) throw new Error('identity transformer tried to read encrypted data');
    return { plain: stored, stale: false };
  },
};

/** Stores values unencrypted, and reads those that `encrypting` wrote; the next update of such a value decrypts it. */
export const storingPlain = (encrypting: ValueTransformer): ValueTransformer => ({
  toStorage: (plain) => plain,
  async fromStorage(stored, authenticatedData) {
    if (!hasPrefix(stored, encryptedPrefix)) return { plain: stored, stale: false };
    return { plain: (await encrypting.fromStorage(stored, authenticatedData)).plain, stale: true };
  },
});

/** A value that could not be encrypted or decrypted. Clients get the transformer's message as an internal error. */
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

/** Wraps a transformer so that its failures are TransformErrors. */
export const reportingTransformErrors = (transformer: ValueTransformer): ValueTransformer => ({
  toStorage: (plain, authenticatedData) => withTransformErrors(() => transformer.toStorage(plain, authenticatedData)),
  fromStorage: (stored, authenticatedData) =>
    withTransformErrors(() => transformer.fromStorage(stored, authenticatedData)),
});
