import { BboltError, type BboltBucket, type BboltDatabase } from '@apichain/bbolt';
import type { KeyValue } from '@apichain/etcd-api/mvccpb';
import { keyOf } from '../mvcc/key-range.ts';
import { noBytes, noLease, tombstone, type Version } from '../mvcc/version.ts';
import { ProtobufReader } from './protobuf-reader.ts';

/** The parts of an etcd database, apart from its versions of keys. */
export interface EtcdSchema {
  /** The bucket of versions; `versionsOf` reads it. */
  readonly versions: BboltBucket;
  /** The revision up to which the history is compacted, or -1. */
  readonly compactRevision: number;
  /** `ttl`: as granted, in seconds. */
  readonly leases: readonly { readonly id: string; readonly ttl: number }[];
  /** The index of the last entry of the raft log that is applied. */
  readonly consistentIndex: number;
  /** The number of members of the cluster, as far as it is known. */
  readonly memberCount: number;
  /** Whether a rule that the embedded store does not know decides which writes take effect: users and roles, or a raised alarm. */
  readonly hasAuthOrAlarm: boolean;
}

/** Revisions as keys: eight bytes, an underscore, eight bytes, and a mark if the version is a tombstone. */
const subAt = 9;
const revisionLength = 17;
const separator = 0x5f;
const tombstoneMark = 0x74;

function uint64(bytes: Buffer, at: number): number {
  const value = bytes.readUInt32BE(at) * 2 ** 32 + bytes.readUInt32BE(at + 4);
  if (!Number.isSafeInteger(value)) throw new BboltError('a revision is too large');
  return value;
}

interface Revision {
  readonly main: number;
  readonly sub: number;
  readonly isTombstone: boolean;
}

function revisionOf(bytes: Buffer): Revision {
  const isTombstone = bytes.length === revisionLength + 1 && bytes[revisionLength] === tombstoneMark;
  if ((bytes.length !== revisionLength && !isTombstone) || bytes[subAt - 1] !== separator)
    throw new BboltError('a key of the bucket "key" is no revision');
  return { main: uint64(bytes, 0), sub: uint64(bytes, subAt), isTombstone };
}

/** A version from its revision and its mvccpb.KeyValue. */
function versionOf({ main, sub, isTombstone }: Revision, value: Buffer): Version {
  const reader = new ProtobufReader(value);
  const kv: KeyValue = {
    key: noBytes,
    createRevision: 0,
    modRevision: main,
    version: 0,
    value: noBytes,
    lease: noLease,
  };
  for (let field = reader.nextField(); field !== 0; field = reader.nextField()) {
    if (field === 1) kv.key = reader.bytes();
    else if (field === 2) kv.createRevision = reader.integer();
    else if (field === 4) kv.version = reader.integer();
    else if (field === 5) kv.value = reader.bytes();
    else if (field === 6) kv.lease = reader.int64();
    else reader.skip();
  }
  const key = keyOf(kv.key);
  return isTombstone ? tombstone(key, kv.key, main, sub) : { key, kv, sub, deleted: false };
}

/** Every version in the order of revisions. Throws BboltError or ProtobufError. */
export function* versionsOf({ versions }: EtcdSchema): Generator<Version> {
  for (const { key, value } of versions.entries()) yield versionOf(revisionOf(key), value);
}

function leaseOf(value: Buffer): { id: string; ttl: number } {
  const reader = new ProtobufReader(value);
  const lease = { id: noLease, ttl: 0 };
  for (let field = reader.nextField(); field !== 0; field = reader.nextField()) {
    if (field === 1) lease.id = reader.int64();
    else if (field === 2) lease.ttl = reader.integer();
    else reader.skip();
  }
  return lease;
}

const valuesOf = (bucket: BboltBucket | undefined): ReadonlyMap<string, Buffer> =>
  new Map(Array.from(bucket?.entries() ?? [], ({ key, value }) => [String(key), value]));

/**
 * Reads the schema of etcd's database, 3.4 to 3.6. Throws BboltError or ProtobufError when the database is damaged or of another program. Source:
 * https://github.com/etcd-io/etcd/tree/v3.5.16/server/mvcc/buckets
 */
export function readSchema({ root }: BboltDatabase): EtcdSchema {
  const buckets = new Map(Array.from(root.buckets(), ([name, bucket]) => [String(name), bucket]));
  const versions = buckets.get('key');
  if (versions === undefined) throw new BboltError('this is no database of etcd: it has no bucket "key"');
  const meta = valuesOf(buckets.get('meta'));
  const compactions = ['scheduledCompactRev', 'finishedCompactRev'].flatMap((name) => {
    const revision = meta.get(name);
    return revision === undefined ? [] : [revisionOf(revision).main];
  });
  const index = meta.get('consistent_index');
  if (index !== undefined && index.length !== 8) throw new BboltError('the consistent index is no number');
  return {
    versions,
    // A compaction that was interrupted has removed some of the versions already.
    compactRevision: Math.max(-1, ...compactions),
    leases: Array.from(buckets.get('lease')?.entries() ?? [], ({ value }) => leaseOf(value)),
    consistentIndex: index === undefined ? 0 : uint64(index, 0),
    memberCount: valuesOf(buckets.get('members')).size,
    hasAuthOrAlarm:
      valuesOf(buckets.get('auth')).get('authEnabled')?.[0] === 1 || valuesOf(buckets.get('alarm')).size > 0,
  };
}
