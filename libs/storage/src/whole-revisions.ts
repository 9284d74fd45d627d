import type { Event } from '@apichain/embedded-etcd/mvccpb';
import type { WatchResponse } from '@apichain/embedded-etcd/etcdserverpb';

/**
 * The events of a watch whose large answers come in fragments, so that nobody holds a burst of any size at once. A watch that breaks goes on after the
 * last revision it has seen: the events of a fragment's last revision, of which more may follow, wait for the next fragment.
 */
export class WholeRevisions {
  #waiting: readonly Event[] = [];

  /** The events of the next answer that can be handled. */
  take({ events, fragment }: Pick<WatchResponse, 'events' | 'fragment'>): readonly Event[] {
    if (!fragment && this.#waiting.length === 0) return events;
    const all = [...this.#waiting, ...events];
    const last = all.at(-1)?.kv?.modRevision;
    const from = fragment ? all.findIndex(({ kv }) => kv?.modRevision === last) : all.length;
    this.#waiting = all.slice(from);
    return all.slice(0, from);
  }
}
