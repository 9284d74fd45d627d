import type { NewBucket, NewEntry } from '@apichain/bbolt';
import { sorting, type Work } from '@apichain/meta';
import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { compareVersions, type Version } from '../mvcc/version.ts';
import { keyValueLength, writeKeyValue } from './key-value-bytes.ts';

/** The state that a snapshot contains. */
export interface SnapshotView {
  readonly memberId: string;
  readonly raftTerm: number;
  readonly raftIndex: number;
  readonly compactRevision: number;
  readonly leases: readonly { readonly id: string; readonly ttl: number }[];
  /** In any order. A version never changes, so what happens to the store meanwhile does not matter. */
  readonly versions: readonly Version[];
}

const revisionLength = 17;
const separator = 0x5f;
const tombstoneMark = 0x74;

/** A revision as a key: eight bytes, an underscore, eight bytes, and `t` for a tombstone. */
function revisionKey(main: number, sub: number, deleted: boolean): Buffer {
  const key = Buffer.allocUnsafe(revisionLength + (deleted ? 1 : 0));
  key.writeUInt32BE(Math.floor(main / 2 ** 32), 0);
  key.writeUInt32BE(main % 2 ** 32, 4);
  key[8] = separator;
  key.writeUInt32BE(0, 9);
  key.writeUInt32BE(sub, 13);
  if (deleted) key[revisionLength] = tombstoneMark;
  return key;
}

const uint64 = (value: bigint): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt.asUintN(64, value));
  return bytes;
};

function entryOf(key: Buffer, value: Buffer): NewEntry {
  return {
    key,
    valueLength: value.length,
    writeValue: (page, at) => {
      value.copy(page, at);
    },
  };
}

/** The bucket of versions. Entries are created while they are iterated: there are as many as memory allows. */
function versionEntries(versions: readonly Version[]): Iterable<NewEntry> {
  return {
    *[Symbol.iterator]() {
      let main = 0;
      let sub = 0;
      for (const version of versions) {
        const { modRevision } = version.kv;
        // A store that was copied from another one may have several changes with the same number in one revision.
        sub = modRevision === main ? Math.max(version.sub, sub + 1) : version.sub;
        main = modRevision;
        yield {
          key: revisionKey(main, sub, version.deleted),
          valueLength: keyValueLength(version),
          writeValue: (page, at) => {
            writeKeyValue(version, page, at);
          },
        };
      }
    },
  };
}

/** leasepb.Lease: the id and the granted TTL. */
function leaseEntries(leases: SnapshotView['leases']): NewEntry[] {
  const entries = leases.map(({ id, ttl }) => {
    const value = new BinaryWriter().uint32(0x08).int64(id).uint32(0x10).int64(ttl).finish();
    return entryOf(uint64(BigInt(id)), Buffer.from(value));
  });
  return entries.sort((a, b) => Buffer.compare(a.key, b.key));
}

/** What etcd's restore expects of a log that the snapshot continues; it replaces the values. */
function metaEntries({ memberId, raftTerm, raftIndex, compactRevision }: SnapshotView): NewEntry[] {
  const compaction = revisionKey(Math.max(0, compactRevision), 0, false);
  const compacted = compactRevision > 0;
  return [
    entryOf(Buffer.from('confState'), Buffer.from(`{"voters":[${memberId}],"auto_leave":false}`)),
    entryOf(Buffer.from('consistent_index'), uint64(BigInt(raftIndex))),
    ...(compacted ? [entryOf(Buffer.from('finishedCompactRev'), compaction)] : []),
    ...(compacted ? [entryOf(Buffer.from('scheduledCompactRev'), compaction)] : []),
    entryOf(Buffer.from('term'), uint64(BigInt(raftTerm))),
  ];
}

/**
 * The buckets of etcd's database in version 3.5. Members, users and alarms are empty: a restore sets the members, and the embedded store has no others.
 * Source: https://github.com/etcd-io/etcd/blob/v3.5.16/server/mvcc/buckets/bucket.go
 */
export function* etcdBuckets(view: SnapshotView): Work<NewBucket[]> {
  const versions = yield* sorting(view.versions, compareVersions);
  const filled = new Map<string, Iterable<NewEntry>>([
    ['key', versionEntries(versions)],
    ['lease', leaseEntries(view.leases)],
    ['meta', metaEntries(view)],
  ]);
  return bucketNames.map((name) => ({ name, entries: filled.get(name) ?? [] }));
}

/** In ascending order. */
const bucketNames = [
  ...['alarm', 'auth', 'authRoles', 'authUsers', 'cluster'],
  ...['key', 'lease', 'members', 'members_removed', 'meta'],
];
