import { setFlagsFromString } from 'node:v8';
import { Worker, type ResourceLimits } from 'node:worker_threads';
import { transferable, type ResultMessage, type WorkMessage } from './messages.ts';

/** Work that has been handed to a thread. */
export interface ThreadWork extends WorkMessage {
  resolve(parts: readonly Uint8Array[]): void;
  reject(error: WorkerFailure): void;
}

interface PoolThreadOptions {
  readonly program: URL;
  readonly resourceLimits: ResourceLimits;
  /** In milliseconds. */
  readonly limitMs: number;
  readonly idleMs: number;
  /** Called when the thread can take more work. */
  readonly onIdle: () => void;
  /** Called once, when the thread takes no more work. */
  readonly onEnd: () => void;
}

/** A worker thread with one piece of work at a time. It keeps the process alive only while it works. */
export class PoolThread {
  readonly #options: PoolThreadOptions;
  readonly #worker: Worker;
  #work: ThreadWork | undefined;
  #timer: NodeJS.Timeout | undefined;
  #hasEnded = false;

  constructor(options: PoolThreadOptions) {
    this.#options = options;
    const { program, resourceLimits } = options;
    // Options of the process, such as a loader or the port of a debugger, are not for its threads.
    limitYoungGeneration();
    this.#worker = new Worker(program, { resourceLimits, execArgv: [], name: 'work' });
    this.#worker.unref();
    this.#worker.on('message', (message: ResultMessage) => this.#finish(message));
    this.#worker.on('error', (error: unknown) => this.#end(reasonOf(error)));
    this.#worker.on('messageerror', () => this.#end('its result cannot be read'));
    this.#worker.on('exit', () => this.#end('it ended'));
  }

  get isIdle(): boolean {
    return this.#work === undefined && !this.#hasEnded;
  }

  /** Begins the work. To be called for an idle thread. The parts are moved to the thread, except for shared memory. */
  run(work: ThreadWork): void {
    this.#work = work;
    this.#setTimer(this.#options.limitMs, () => this.#end(`it took more than ${this.#options.limitMs / 1000} s`));
    this.#worker.ref();
    this.#worker.postMessage({ name: work.name, parts: work.parts } satisfies WorkMessage, transferable(work.parts));
  }

  #finish(message: ResultMessage): void {
    const work = this.#work;
    if (work === undefined) return;
    this.#work = undefined;
    this.#worker.unref();
    this.#setTimer(this.#options.idleMs, () => this.#end('it was idle'));
    this.#timer?.unref();
    if ('parts' in message) work.resolve(message.parts);
    else work.reject(new WorkerFailure(message.failure));
    this.#options.onIdle();
  }

  #end(reason: string): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    clearTimeout(this.#timer);
    void this.#worker.terminate();
    this.#work?.reject(new WorkerFailure(`the worker thread failed: ${reason}`));
    this.#work = undefined;
    this.#options.onEnd();
  }

  #setTimer(milliseconds: number, elapsed: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(elapsed, milliseconds);
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'out of memory' : error.message;
}

/**
 * The sizes of the space for new objects that were set for the process would hold for its threads, too, above their limits. The heap of a thread that runs already does
 * not change.
 */
function limitYoungGeneration(): void {
  setFlagsFromString('--min-semi-space-size=0');
  setFlagsFromString('--max-semi-space-size=0');
}

/** Thrown for work whose worker thread ended, ran out of memory or did not respond in time. The work has no result; other work is not affected. */
export class WorkerFailure extends Error {
  override readonly name = 'WorkerFailure';
}
