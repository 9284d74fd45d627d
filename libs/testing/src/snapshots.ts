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

/**
 * What has meanwhile been deleted and made anew under the same name is another object: it goes before the old one comes back, so that a watch
 * sees an end and a beginning, never a change of uid.
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

/** Of a stored object; undefined for what is not JSON, as are the counters of the chain. */
function uidOf(value: Buffer): string | undefined {
  const { metadata } = (value[0] === 0x7b ? JSON.parse(value.toString()) : {}) as { metadata?: { uid?: string } };
  return metadata?.uid;
}

/**
 * What every chain makes for itself at its start and makes alike: a later chain of the process begins with it, which saves it some two hundred
 * writes. What depends on ports and addresses is left out.
 */
const alike =
  /^\/registry\/(apiregistration\.k8s\.io\/apiservices|(cluster)?rolebindings|(cluster)?roles|flowschemas|prioritylevelconfigurations|priorityclasses|namespaces)\//;

/** The part of a fresh chain's contents that another one may begin with. */
export function beginningOf(etcd: EmbeddedEtcd): StoreContents {
  const contents = etcd.snapshot();
  const keys = new Map([...contents.keys].filter(([, { key, lease }]) => lease === '0' && alike.test(key.toString())));
  return { ...contents, keys, leases: [] };
}
