import { parseDurationMs } from '@apichain/go-text';
import { currentActivity, currentTime, isStatusError, startTimer, type Activity, type TimerKind } from '@apichain/meta';

/** Receives the measurements of a queue. Durations are in seconds. */
export interface WorkQueueObserver {
  /** Called with the queue, whose properties may be read at any time. */
  watch(queue: Pick<WorkQueue, 'length' | 'workingSince'>): void;
  added(): void;
  retried(): void;
  /** A worker took a key after this wait. */
  taken(seconds: number): void;
  /** A worker finished a key after this time. */
  done(seconds: number): void;
}

/**
 * A queue of keys for a controller, modeled on client-go's workqueue. A key is processed by one worker at a time. A key that is added while it is
 * processed is queued again afterwards. Failed keys are repeated with exponential backoff.
 */
export class WorkQueue {
  readonly #dirty = new Set<string>();
  /** When the processing of each key began, by `performance.now()`. */
  readonly #processing = new Map<string, number>();
  /** When each key was queued, by `performance.now()`; only recorded for the observer. */
  readonly #waitingSince = new Map<string, number>();
  readonly #ready: string[] = [];
  readonly #waiters: ((key: string | undefined) => void)[] = [];
  readonly #failures = new Map<string, number>();
  readonly #timers = new Map<string, { readonly cancel: () => void; readonly due: number }>();
  readonly #baseDelayMs: number;
  readonly #maxDelayMs: number;
  readonly #observer: WorkQueueObserver | undefined;
  readonly #activity = currentActivity();
  /** What to call when nothing is left to do for a key. Only used with an activity. */
  readonly #ends = new Map<string, () => void>();
  #shutDown = false;

  constructor(options: { baseDelayMs?: number; maxDelayMs?: number; observer?: WorkQueueObserver | undefined } = {}) {
    this.#baseDelayMs = options.baseDelayMs ?? 5;
    this.#maxDelayMs = options.maxDelayMs ?? 30_000;
    this.#observer = options.observer;
    this.#observer?.watch(this);
  }

  add(key: string): void {
    if (this.#shutDown || this.#dirty.has(key)) return;
    this.#dirty.add(key);
    if (this.#activity !== undefined && !this.#ends.has(key)) this.#ends.set(key, this.#activity.enqueue(key));
    if (this.#observer !== undefined) {
      this.#observer.added();
      this.#waitingSince.set(key, performance.now());
    }
    if (this.#processing.has(key)) return;
    this.#offer(key);
  }

  /**
   * Adds a key after a delay, by the clock of the caller. If the key has several delayed additions, only the earliest is kept. `kind` says whether
   * something becomes due (the default) or is only tried again.
   */
  addAfter(key: string, delayMs: number, kind?: TimerKind): void {
    if (this.#shutDown) return;
    this.#observer?.retried();
    const due = currentTime() + delayMs;
    const pending = this.#timers.get(key);
    if (pending !== undefined) {
      if (pending.due <= due) return;
      pending.cancel();
    }
    const cancel = startTimer(
      () => {
        this.#timers.delete(key);
        this.add(key);
      },
      delayMs,
      kind,
    );
    this.#timers.set(key, { cancel, due });
  }

  /** Adds a key again after a failure, with a delay of baseDelay * 2^failures, but not before `leastMs` have passed. */
  addRateLimited(key: string, leastMs = 0): void {
    const failures = this.#failures.get(key) ?? 0;
    this.#failures.set(key, failures + 1);
    const backoffMs = Math.min(this.#baseDelayMs * 2 ** Math.min(failures, 30), this.#maxDelayMs);
    this.addAfter(key, Math.max(backoffMs, leastMs), 'retry');
  }

  forget(key: string): void {
    this.#failures.delete(key);
  }

  /** The next key, or undefined once the queue is shut down. Call `done` when the key has been processed. */
  async get(): Promise<string | undefined> {
    const key = this.#activity === undefined ? this.#ready.shift() : this.#choose(this.#activity);
    if (key !== undefined) return this.#take(key);
    if (this.#shutDown) return undefined;
    return new Promise((resolve) => this.#waiters.push(resolve));
  }

  done(key: string): void {
    const began = this.#processing.get(key);
    if (began !== undefined) this.#observer?.done((performance.now() - began) / 1_000);
    this.#processing.delete(key);
    if (this.#dirty.has(key)) this.#offer(key);
    else this.#end(key);
  }

  get length(): number {
    return this.#ready.length;
  }

  /** When the processing of each current key began, by `performance.now()`. */
  get workingSince(): Iterable<number> {
    return this.#processing.values();
  }

  shutDown(): void {
    this.#shutDown = true;
    for (const { cancel } of this.#timers.values()) cancel();
    this.#timers.clear();
    for (const waiter of this.#waiters.splice(0)) waiter(undefined);
    for (const key of this.#ready) this.#end(key);
    this.#activity?.ending();
  }

  #choose(activity: Activity): string | undefined {
    const [key] = this.#ready.splice(activity.choose(this.#ready.length), 1);
    return key;
  }

  #end(key: string): void {
    this.#ends.get(key)?.();
    this.#ends.delete(key);
  }

  #offer(key: string): void {
    const waiter = this.#waiters.shift();
    if (waiter === undefined) this.#ready.push(key);
    else waiter(this.#take(key));
  }

  #take(key: string): string {
    this.#dirty.delete(key);
    const now = performance.now();
    this.#processing.set(key, now);
    if (this.#observer !== undefined) {
      this.#observer.taken((now - (this.#waitingSince.get(key) ?? now)) / 1_000);
      this.#waitingSince.delete(key);
    }
    return key;
  }
}

/** What is to happen with a key that was reconciled: nothing, unless one of the members is set. As in controller-runtime. */
export interface Result {
  /** The key is queued again with a growing delay, as after a failure. */
  readonly requeue?: boolean;
  /** The key is queued again after this time, in milliseconds or as a duration of Go: `5m`. */
  readonly requeueAfter?: number | string;
}

/** An error that another attempt would not change: the key is not queued again until something changes. As in controller-runtime. */
export class TerminalError extends Error {
  override readonly name = 'TerminalError';
}

/** Reconciles a key. Without a Result nothing more is to happen with it. */
export type ReconcileKey = (key: string) => Promise<Result | void>;

/** What is done with the keys of a queue. */
interface QueueWork {
  readonly queue: WorkQueue;
  /** How many keys are processed in parallel. */
  readonly workers: number;
  readonly reconcile: ReconcileKey;
  /** Called when `reconcile` throws, except after the signal. */
  readonly onError: (key: string, error: unknown) => void;
}

/** Runs workers, as `runWorkers` does, until the signal aborts. Resolves when no key is processed any more. */
export async function runUntilAborted(
  signal: AbortSignal,
  { queue, workers, reconcile, onError }: QueueWork,
): Promise<void> {
  const stop = () => queue.shutDown();
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  await runWorkers(queue, workers, reconcile, (key, error) => {
    if (!signal.aborted) onError(key, error);
  });
}

/**
 * Runs `reconcile` for every key of the queue, with `workers` calls in parallel, until the queue is shut down. A key whose reconcile throws is
 * queued again later, and `onError` is called. After a response with Retry-After it is not queued before that time.
 */
export async function runWorkers(
  queue: WorkQueue,
  workers: number,
  reconcile: ReconcileKey,
  onError: (key: string, error: unknown) => void,
): Promise<void> {
  const work = async () => {
    for (let key = await queue.get(); key !== undefined; key = await queue.get()) {
      try {
        finishKey(queue, key, (await reconcile(key)) ?? {});
      } catch (error) {
        onError(key, error);
        if (error instanceof TerminalError) queue.forget(key);
        else queue.addRateLimited(key, retryAfterMs(error));
      } finally {
        queue.done(key);
      }
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
}

/** Throws DurationError for a `requeueAfter` that is no duration. */
function finishKey(queue: WorkQueue, key: string, { requeue, requeueAfter = 0 }: Result): void {
  const afterMs = typeof requeueAfter === 'string' ? parseDurationMs(requeueAfter) : requeueAfter;
  if (requeue === true && !(afterMs > 0)) return queue.addRateLimited(key);
  queue.forget(key);
  if (afterMs > 0) queue.addAfter(key, afterMs);
}

/** How long the server that refused a request wants not to be asked again. */
const retryAfterMs = (error: unknown): number =>
  isStatusError(error) ? (error.status.details?.retryAfterSeconds ?? 0) * 1_000 : 0;
