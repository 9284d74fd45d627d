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

/** Values are stored as they are. */
export const identityTransformer: ValueTransformer = {
  toStorage: (plain) => plain,
  fromStorage: (stored) => ({ plain: stored, stale: false }),
};
