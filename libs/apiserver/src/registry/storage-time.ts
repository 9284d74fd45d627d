import type { RequestContext } from '@apichain/request';

/** Records how long the store took, for the latency annotations of audit events. */
export function noteStorageTime<T>({ audit }: RequestContext, work: Promise<T>): Promise<T> {
  if (audit === undefined) return work;
  const start = performance.now();
  const note = () => audit.track('etcd', performance.now() - start);
  work.then(note, note);
  return work;
}

/** The same for store operations with a callback: the time of the callback is not counted. */
export class StorageTime {
  readonly #audit: RequestContext['audit'];
  #start = performance.now();

  constructor({ audit }: RequestContext) {
    this.#audit = audit;
  }

  /** Runs `work`, a callback that the store waits for. */
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
