import type { RequestContext } from '@apichain/request';

/** Notes how long the store has taken, for audit events that tell of it. */
export function noteStorageTime<T>({ audit }: RequestContext, work: Promise<T>): Promise<T> {
  if (audit === undefined) return work;
  const start = performance.now();
  const note = () => audit.track('etcd', performance.now() - start);
  work.then(note, note);
  return work;
}

/** The same where the store asks back for what it is to write: making that is not its time. */
export class StorageTime {
  readonly #audit: RequestContext['audit'];
  #start = performance.now();

  constructor({ audit }: RequestContext) {
    this.#audit = audit;
  }

  /** The store has handed over to `work`, whose end it waits for. */
  async without<T>(work: () => Promise<T>): Promise<T> {
    this.note();
    try {
      return await work();
    } finally {
      this.#start = performance.now();
    }
  }

  note(): void {
    this.#audit?.track('etcd', performance.now() - this.#start);
  }
}
