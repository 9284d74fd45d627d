import { afterEveryKey } from '../mvcc/key-range.ts';
import type { KeyValue } from '../generated/kv.ts';
import { noLease } from '../mvcc/version.ts';
import type { Engine } from './engine.ts';

/** The keys and leases of a store at one point in time. Values are shared with the store and never change. */
export interface StoreContents {
  readonly revision: number;
  readonly keys: ReadonlyMap<string, KeyValue>;
  readonly leases: readonly { readonly id: string; readonly ttl: number }[];
}

const everyKey = { start: '', end: afterEveryKey };

/** The durable contents of the store. */
export function takeContents(engine: Engine): StoreContents {
  const keys = new Map<string, KeyValue>();
  engine.store.visit(everyKey, engine.revision, ({ key, kv }) => {
    keys.set(key, kv);
    return true;
  });
  return { revision: engine.revision, keys, leases: engine.lessor.list().map(({ id, ttl }) => ({ id, ttl })) };
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
