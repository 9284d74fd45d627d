import type { RequestContext } from '@apichain/request';

/** Reports how long the store took, if somebody wants to know it. */
export function noteStorageTime<T>({ track }: RequestContext, work: Promise<T>): Promise<T> {
  if (track === undefined) return work;
  const start = performance.now();
  const note = () => track('etcd', performance.now() - start);
  work.then(note, note);
  return work;
}

/** The same for store operations with a callback: the time of the callback is not counted. */
export class StorageTime {
  readonly #track: RequestContext['track'];
  #start = performance.now();

  constructor({ track }: RequestContext) {
    this.#track = track;
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
    this.#track?.('etcd', performance.now() - this.#start);
  }
}
