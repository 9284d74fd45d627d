import type { RequestRecord } from '@apichain/request';

/** Probes come every few seconds and would soon be all that is kept. */
const probe = /^\/(?:livez|readyz|healthz|metrics)(?:[/?]|$)/;

/** The records of the last finished requests, in memory. */
export class RecentRequests {
  readonly #limit: number;
  /** Oldest first. */
  #records: RequestRecord[] = [];

  constructor(limit = 500) {
    this.#limit = limit;
  }

  /** Keeps the record of a finished request. */
  readonly add = (record: RequestRecord): void => {
    if (record.code === 200 && probe.test(record.uri)) return;
    this.#records.push(record);
    // Cut rarely, so that a record costs no copy of the others.
    if (this.#records.length >= 2 * this.#limit) this.#records = this.#records.slice(-this.#limit);
  };

  /** Newest first. `user` limits them to the requests of one user. */
  list(user?: string): readonly RequestRecord[] {
    const shown = this.#records.slice(-this.#limit).reverse();
    return user === undefined ? shown : shown.filter((record) => record.user === user);
  }
}
