import { StartupError } from '@apichain/chain/setup';
import type { EtcdApi, StoredKey } from '../etcd-api.ts';

interface VerifyOptions {
  readonly prefix: string;
  /** The revision of the source at which it was copied. */
  readonly revision: number;
  /** Whether the target has the same revisions as the source. */
  readonly sameRevisions: boolean;
  /** Whether the target may have keys that the source does not have. */
  readonly mayHoldMore: boolean;
}

const noLease = '0';

/** Reads both sides and compares every key, value, lease and the order of revisions. Throws StartupError for the first difference. */
export async function verify(source: EtcdApi, target: EtcdApi, options: VerifyOptions): Promise<void> {
  const { prefix, revision } = options;
  const { revision: present } = await target.status();
  const revisions: { source: number; target: number }[] = [];
  const there = target.keys(prefix, present);
  let other: IteratorResult<StoredKey, void> = await there.next();
  const isBefore = (key: Buffer) => other.done !== true && Buffer.compare(other.value.key, key) < 0;
  for await (const kv of source.keys(prefix, revision)) {
    for (; isBefore(kv.key); other = await there.next())
      if (!options.mayHoldMore && other.done !== true) throw tooMany(target, other.value);
    if (other.done === true || !other.value.key.equals(kv.key)) {
      // The lease may have expired before or during the copy.
      if (kv.lease !== noLease) continue;
      throw new StartupError(`${target.name} lacks ${show(kv)}: the copy is not whole`);
    }
    compare(target, kv, other.value, options.sameRevisions);
    revisions.push({ source: kv.modRevision, target: other.value.modRevision });
    other = await there.next();
  }
  if (other.done !== true && !options.mayHoldMore) throw tooMany(target, other.value);
  compareOrder(target, revisions);
}

function compare(target: EtcdApi, kv: StoredKey, copy: StoredKey, sameRevisions: boolean): void {
  const differs = (what: string) => new StartupError(`${target.name} holds another ${what} of ${show(kv)}`);
  if (!copy.value.equals(kv.value)) throw differs('value');
  if ((copy.lease === noLease) !== (kv.lease === noLease)) throw differs('lease');
  if (sameRevisions && (copy.modRevision !== kv.modRevision || copy.version !== kv.version)) throw differs('revision');
}

function compareOrder(target: EtcdApi, revisions: { source: number; target: number }[]): void {
  revisions.sort((a, b) => a.source - b.source);
  let last = { source: 0, target: 0 };
  for (const pair of revisions) {
    if (pair.source > last.source && pair.target <= last.target)
      throw new StartupError(
        `${target.name} holds the changes of revisions ${last.source} and ${pair.source} in another order`,
      );
    last = pair;
  }
}

const show = ({ key }: StoredKey) => JSON.stringify(key.toString('utf8'));
const tooMany = (target: EtcdApi, kv: StoredKey) =>
  new StartupError(`${target.name} holds ${show(kv)}, which the source does not: is something writing to it?`);
