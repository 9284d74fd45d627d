import type { WatchResponse } from '@apichain/etcd-api/etcdserverpb';
import type { Event } from '@apichain/etcd-api/mvccpb';

/**
 * Joins the events of a watch whose large responses arrive in fragments, so that a burst of any size never has to be held as a whole. A watch that
 * breaks resumes after the last revision received. Therefore the events of a fragment's last revision are held back until the next fragment, which
 * may contain more of them.
 */
export class WholeRevisions {
  #waiting: readonly Event[] = [];

  /** Returns the events of the next response that can be processed. */
  take({ events, fragment }: Pick<WatchResponse, 'events' | 'fragment'>): readonly Event[] {
    if (!fragment && this.#waiting.length === 0) return events;
    const all = [...this.#waiting, ...events];
    const last = all.at(-1)?.kv?.modRevision;
    const from = fragment ? all.findIndex(({ kv }) => kv?.modRevision === last) : all.length;
    this.#waiting = all.slice(from);
    return all.slice(0, from);
  }
}
