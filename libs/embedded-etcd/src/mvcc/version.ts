import type { KeyValue } from '@apichain/etcd-api/mvccpb';
import { valueLength } from './former-values.ts';

/**
 * One state of one key. `kv.modRevision` is the main revision of the change, `sub` its index among the changes of that revision. A tombstone
 * (`deleted`) contains only the key and the revision. Immutable, so that it can be shared.
 */
export interface Version {
  /** `kv.key` as a string of bytes. */
  readonly key: string;
  readonly kv: KeyValue;
  readonly sub: number;
  readonly deleted: boolean;
}

/** The lease id that means no lease. */
export const noLease = '0';
export const noBytes = Buffer.alloc(0);

export const tombstone = (key: string, bytes: Buffer, main: number, sub: number): Version => ({
  key,
  kv: { key: bytes, createRevision: 0, modRevision: main, version: 0, value: noBytes, lease: noLease },
  sub,
  deleted: true,
});

/** The memory of a version in addition to its bytes (objects, index entries), in bytes. An estimate for the quota. */
const overhead = 200;
export const sizeOf = ({ kv }: Version): number => kv.key.length + valueLength(kv) + overhead;

/** Whether `a` was made before `b`. */
export const compareVersions = (a: Version, b: Version): number => a.kv.modRevision - b.kv.modRevision || a.sub - b.sub;
