import type { ResourceLimits } from 'node:worker_threads';
import { errorMessage, FairLine } from '@apichain/meta';
import { ownBytes } from './messages.ts';
import { PoolThread, WorkerFailure, type ThreadWork } from './pool-thread.ts';

interface WorkerPoolOptions {
  /** The program of the threads, which calls `serveWork`. */
  readonly program: URL;
  /** The most threads; 1 by default. */
  readonly maxThreads?: number;
  /** The bytes of documents in work, after which further work waits before it is prepared; 32 MiB by default. One piece of work may have more. */
  readonly maxBytes?: number;
  /** A thread that takes longer for a piece of work is ended. In milliseconds; a minute by default. */
  readonly limitMs?: number;
  /** A thread without work ends after this time in milliseconds; 10 s by default. */
  readonly idleMs?: number;
  readonly resourceLimits?: ResourceLimits;
}

/** Work for a pool. */
export interface PooledWork {
  /** The name of a function of the program. */
  readonly name: string;
  /** Whom the work is for. Owners are served round-robin, so that much work of one delays that of another by one piece only. */
  readonly owner: unknown;
  /** About how many bytes of memory the parts and their copies take. */
  readonly bytes: number;
  /** Makes the parts, when they are next. What it rejects with is what `run` rejects with. */
  readonly prepare: () => Promise<readonly Uint8Array[]> | readonly Uint8Array[];
}

/** The call stack is that of the main thread (984 KB, and 192 KB that Node keeps): what nests too deeply for one thread does so for the other. */
const defaultLimits: ResourceLimits = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 8, stackSizeMb: 1.14 };

/**
 * Runs functions of bytes in worker threads, for passes over documents that would hold the thread that serves requests. A thread starts with the
 * first work and ends when there was none for a while. A thread that fails costs the work that it has, and nothing else.
 */
export class WorkerPool {
  readonly #options: Required<WorkerPoolOptions>;
  readonly #threads = new Set<PoolThread>();
  /** Work that waits to be prepared, and prepared work that waits for a thread. */
  readonly #unprepared = new FairLine<{ readonly bytes: number; readonly proceed: () => void }>();
  readonly #prepared = new FairLine<ThreadWork>();
  #bytes = 0;

  constructor(options: WorkerPoolOptions) {
    this.#options = {
      maxThreads: 1,
      maxBytes: 32 << 20,
      limitMs: 60_000,
      idleMs: 10_000,
      resourceLimits: defaultLimits,
      ...options,
    };
  }

  /** The number of running threads. */
  get threads(): number {
    return this.#threads.size;
  }

  /** The result of the function. Rejects with WorkerFailure if the thread fails or the function throws. */
  async run({ name, owner, bytes, prepare }: PooledWork): Promise<readonly Uint8Array[]> {
    await this.#admit(owner, bytes);
    try {
      const parts = (await prepare()).map(ownBytes);
      return await new Promise((resolve, reject) => {
        this.#prepared.push(owner, { name, parts, resolve, reject });
        this.#dispatch();
      });
    } finally {
      this.#release(bytes);
    }
  }

  #fits(bytes: number): boolean {
    return this.#bytes === 0 || this.#bytes + bytes <= this.#options.maxBytes;
  }

  #admit(owner: unknown, bytes: number): Promise<void> | undefined {
    if (this.#unprepared.length === 0 && this.#fits(bytes)) {
      this.#bytes += bytes;
      return undefined;
    }
    return new Promise((proceed) => this.#unprepared.push(owner, { bytes, proceed }));
  }

  #release(bytes: number): void {
    this.#bytes -= bytes;
    for (let next = this.#unprepared.first(); next !== undefined; next = this.#unprepared.first()) {
      if (!this.#fits(next.bytes)) return;
      this.#unprepared.shift();
      this.#bytes += next.bytes;
      next.proceed();
    }
  }

  #dispatch(): void {
    while (this.#prepared.length > 0 && this.#hasThread()) {
      const work = this.#prepared.shift();
      if (work === undefined) return;
      try {
        this.#idleThread().run(work);
      } catch (error) {
        work.reject(new WorkerFailure(`no worker thread can be started: ${errorMessage(error)}`));
      }
    }
  }

  #hasThread(): boolean {
    return this.#threads.size < this.#options.maxThreads || [...this.#threads].some((thread) => thread.isIdle);
  }

  /** A thread without work; a new one if there is none. */
  #idleThread(): PoolThread {
    for (const thread of this.#threads) if (thread.isIdle) return thread;
    const thread = new PoolThread({
      ...this.#options,
      onIdle: () => this.#dispatch(),
      onEnd: () => {
        this.#threads.delete(thread);
        this.#dispatch();
      },
    });
    this.#threads.add(thread);
    return thread;
  }
}
