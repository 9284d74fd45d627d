import { sleep } from '@apichain/meta';
import type { EtcdConnection } from './etcd-client.ts';
import { isCompacted } from './etcd-error.ts';
import { putOp, rangeOp, versionIs } from './requests.ts';

/**
 * The key through which the API servers of an etcd agree on which one compacts. It is outside every prefix. Its value is the revision compacted to.
 */
const compactRevisionKey = Buffer.from('compact_rev_key');

/** The state that a server keeps between rounds. */
interface Round {
  /** The version of the key that this server expects. The server that finds it unchanged compacts. */
  readonly version: number;
  /** etcd's revision in the last round, which is the revision to compact to. */
  readonly revision: number;
}

/**
 * One round of the protocol that all API servers of an etcd follow (k8s.io/apiserver/pkg/storage/etcd3/compact.go). Only the server whose view of
 * the key is current compacts; it compacts to the revision that etcd had one interval ago.
 */
export async function compactOnce(
  connection: Pick<EtcdConnection, 'txn' | 'compact'>,
  { version, revision }: Round,
): Promise<Round> {
  const response = await connection.txn({
    compare: [versionIs(compactRevisionKey, version)],
    success: [putOp(compactRevisionKey, Buffer.from(String(revision)), '0')],
    failure: [rangeOp(compactRevisionKey)],
  });
  const now = response.header?.revision ?? 0;
  if (!response.succeeded) {
    return { version: response.responses[0]?.responseRange?.kvs[0]?.version ?? 0, revision: now };
  }
  if (revision > 0) await compactUnlessDone(connection, revision);
  return { version: version + 1, revision: now };
}

async function compactUnlessDone(connection: Pick<EtcdConnection, 'compact'>, revision: number): Promise<void> {
  try {
    await connection.compact(revision);
  } catch (error) {
    if (!isCompacted(error)) throw error;
  }
}

export interface Compactor {
  stop(): Promise<void>;
}

/**
 * Compacts etcd every `intervalMs` (--etcd-compaction-interval; 0 = never), so that between one and two intervals of history remain.
 * Start one per process. `onError` receives the error of a failed round; the next round tries again.
 */
export function startCompactor(
  connection: EtcdConnection,
  intervalMs: number,
  onError: (error: unknown) => void = () => undefined,
): Compactor {
  const stopping = new AbortController();
  const { signal } = stopping;
  const run = async () => {
    let round: Round = { version: 0, revision: 0 };
    while (!signal.aborted) {
      // Rejects when the compactor is stopped, which ends the loop.
      await sleep(intervalMs, signal, { ref: false });
      if (signal.aborted) return;
      try {
        round = await compactOnce(connection, round);
      } catch (error) {
        onError(error);
      }
    }
  };
  const running = intervalMs > 0 ? run() : Promise.resolve();
  return {
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}
