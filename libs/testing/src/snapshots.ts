import type { EmbeddedEtcd, StoreContents } from '@apichain/embedded-etcd';

const contentsKey: unique symbol = Symbol('contents');

/** Everything that a chain had stored at one moment; may be restored any number of times, in the chain it is of. */
export interface ChainSnapshot {
  readonly revision: number;
  readonly [contentsKey]: StoreContents;
}

export function takeSnapshot(etcd: EmbeddedEtcd): ChainSnapshot {
  const contents = etcd.snapshot();
  return { revision: contents.revision, [contentsKey]: contents };
}

export async function restoreSnapshot(etcd: EmbeddedEtcd, snapshot: ChainSnapshot): Promise<void> {
  await etcd.restore(snapshot[contentsKey]);
}

/**
 * What every chain makes for itself at its start and makes alike: a later chain of the process begins with it, which saves it some sixty
 * writes. What depends on ports and addresses is left out.
 */
const alike =
  /^\/registry\/(apiregistration\.k8s\.io\/apiservices|flowschemas|prioritylevelconfigurations|priorityclasses|namespaces)\//;

/** The part of a fresh chain's contents that another one may begin with. */
export function beginningOf(etcd: EmbeddedEtcd): StoreContents {
  const contents = etcd.snapshot();
  const keys = new Map([...contents.keys].filter(([, { key, lease }]) => lease === '0' && alike.test(key.toString())));
  return { ...contents, keys, leases: [] };
}
