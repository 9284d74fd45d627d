import type { RequestRecord } from '@apichain/request';

/** Probes come every few seconds and would soon be all that is kept. */
const probe = /^\/(?:livez|readyz|healthz|metrics)(?:[/?]|$)/;

/** The records of the last finished requests, in memory. */
export class RecentRequests {
  readonly #limit: number;
  /** Oldest first. */
  #records: RequestRecord[] = [];
  #added = 0;

  constructor(limit = 500) {
    this.#limit = limit;
  }

  /** Keeps the record of a finished request. */
  readonly add = (record: RequestRecord): void => {
    if (record.code === 200 && probe.test(record.uri)) return;
    this.#records.push(record);
    this.#added++;
    // Cut rarely, so that a record costs no copy of the others.
    if (this.#records.length >= 2 * this.#limit) this.#records = this.#records.slice(-this.#limit);
  };

  /** The number of requests that were added until now: a position after which `list` lists. */
  get position(): number {
    return this.#added;
  }

  /** Newest first. `user` limits them to the requests of one user, `after` to those that were added after a position. */
  list({ user, after = 0 }: { readonly user?: string | undefined; readonly after?: number } = {}): RequestRecord[] {
    // A position beyond the last one is that of a server before this one.
    const added = after > this.#added ? this.#limit : this.#added - after;
    const count = Math.min(this.#limit, added);
    const shown = count === 0 ? [] : this.#records.slice(-count).reverse();
    return user === undefined ? shown : shown.filter((record) => record.user === user);
  }
}
