import type { KeyValue } from '@apichain/etcd-api/mvccpb';
import { afterEveryKey } from '../mvcc/key-range.ts';
import type { Lessor } from '../lease/lessor.ts';
import { inMemory } from '../mvcc/former-values.ts';
import type { MvccStore } from '../mvcc/mvcc-store.ts';
import { noLease } from '../mvcc/version.ts';
import type { Engine } from './engine.ts';
import { loadInto } from './load.ts';

/** The keys and leases of a store at one point in time. Values are shared with the store and never change. */
export interface StoreContents {
  readonly revision: number;
  /** In the order of keys, which are strings with one character per byte. */
  readonly keys: ReadonlyMap<string, KeyValue>;
  readonly leases: readonly { readonly id: string; readonly ttl: number }[];
}

const everyKey = { start: '', end: afterEveryKey };

/** The contents of a store at a revision. */
export function contentsAt(store: MvccStore, lessor: Lessor, revision: number): StoreContents {
  const keys = new Map<string, KeyValue>();
  store.visit(everyKey, revision, ({ key, kv }) => {
    keys.set(key, inMemory(kv));
    return true;
  });
  return { revision, keys, leases: lessor.list().map(({ id, ttl }) => ({ id, ttl })) };
}

/** The durable contents of the store. */
export const takeContents = ({ store, lessor, revision }: Engine): StoreContents => contentsAt(store, lessor, revision);

/** Fills an empty store with contents, at their revision. The history before that is compacted. */
export function loadContents(store: MvccStore, lessor: Lessor, { revision, keys, leases }: StoreContents): void {
  const sink = loadInto(store, lessor);
  sink.fromCheckpoint({ kind: 'head', revision, compactRevision: revision });
  for (const { id, ttl } of leases) sink.fromCheckpoint({ kind: 'grant', id, ttl });
  for (const [key, kv] of keys) sink.fromCheckpoint({ kind: 'version', version: { key, kv, sub: 0, deleted: false } });
  sink.endCheckpoint();
}

const isSame = (a: KeyValue, b: KeyValue): boolean => a === b || (a.lease === b.lease && a.value.equals(b.value));

/** Restores `contents` in at most one new revision, and returns the resulting revision. */
export async function restoreContents(engine: Engine, contents: StoreContents): Promise<number> {
  for (const { id, ttl } of contents.leases) if (!engine.lessor.has(id)) await engine.grant(id, ttl);
  await engine.write((txn) => {
    const { store, lessor } = engine;
    const gone: string[] = [];
    store.visit(everyKey, store.head, ({ key }) => {
      if (!contents.keys.has(key)) gone.push(key);
      return true;
    });
    for (const key of gone) txn.delete({ start: key, end: undefined });
    for (const [key, kv] of contents.keys) {
      const live = store.get(key)?.live;
      if (live !== undefined && isSame(live.kv, kv)) continue;
      txn.put(kv.key, kv.value, lessor.has(kv.lease) ? kv.lease : noLease);
    }
  });
  const kept = new Set(contents.leases.map(({ id }) => id));
  for (const { id } of engine.lessor.list()) if (!kept.has(id)) await engine.revoke(id);
  return engine.revision;
}
