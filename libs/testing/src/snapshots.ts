import type { EmbeddedEtcd, StoreContents } from '@apichain/embedded-etcd';

const contentsKey: unique symbol = Symbol('contents');

/** The stored objects of a chain at one point in time. A snapshot can be restored any number of times, but only in its own chain. */
export interface ChainSnapshot {
  readonly revision: number;
  readonly [contentsKey]: StoreContents;
}

export function takeSnapshot(etcd: EmbeddedEtcd): ChainSnapshot {
  const contents = etcd.snapshot();
  return { revision: contents.revision, [contentsKey]: contents };
}

/**
 * Restores a snapshot. An object that was deleted and recreated under the same name has another uid: it is deleted before the old object is
 * restored. A watch then reports DELETED and ADDED, never a change of uid.
 */
export async function restoreSnapshot(etcd: EmbeddedEtcd, snapshot: ChainSnapshot): Promise<void> {
  const contents = snapshot[contentsKey];
  const present = etcd.snapshot().keys;
  const others = new Set<string>();
  for (const [key, { value }] of contents.keys) {
    const now = present.get(key)?.value;
    if (now !== undefined && now !== value && uidOf(now) !== uidOf(value)) others.add(key);
  }
  if (others.size > 0) {
    const keys = new Map([...contents.keys].filter(([key]) => !others.has(key)));
    await etcd.restore({ ...contents, keys });
  }
  await etcd.restore(contents);
}

/** The uid of a stored object. Undefined for values that are not JSON, such as the counters of the chain. */
function uidOf(value: Buffer): string | undefined {
  const { metadata } = (value[0] === 0x7b ? JSON.parse(value.toString()) : {}) as { metadata?: { uid?: string } };
  return metadata?.uid;
}

/**
 * Keys that every chain writes at its start with the same values. Later chains of the process start with a copy of them, which saves about
 * two hundred writes. Objects that depend on ports and addresses are excluded.
 */
const alike =
  /^\/registry\/(apiregistration\.k8s\.io\/apiservices|(cluster)?rolebindings|(cluster)?roles|flowschemas|prioritylevelconfigurations|priorityclasses|namespaces)\//;

/** The part of a fresh chain's contents that another chain can start with. */
export function initialContentsOf(etcd: EmbeddedEtcd): StoreContents {
  const contents = etcd.snapshot();
  const keys = new Map([...contents.keys].filter(([, { key, lease }]) => lease === '0' && alike.test(key.toString())));
  return { ...contents, keys, leases: [] };
}
