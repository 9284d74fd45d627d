import { crc32 } from 'node:zlib';
import { encodeRecord } from '../log/record.ts';
import type { MvccStore } from '../mvcc/mvcc-store.ts';
import { afterEveryKey } from '../mvcc/key-range.ts';

/** A checksum of all keys at `revision`. Equal contents have equal checksums; another etcd's checksum is a different number. */
export function storeHash(store: MvccStore, revision: number): number {
  let hash = 0;
  store.visit({ start: '', end: afterEveryKey }, revision, (version) => {
    hash = crc32(encodeRecord({ kind: 'version', version }), hash);
    return true;
  });
  return hash;
}
