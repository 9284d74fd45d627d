import { type Logger, runWorkers, WorkQueue } from '@apichain/client';
import { errorMessage } from '@apichain/meta';

type Task = () => Promise<void>;

/** How often a task that fails is tried. */
const maxTries = 5;

/**
 * The key of the requests about a pod in the queue. They are made one after the other, and a later one replaces one that has not begun: what an attempt says in the status of
 * the pod must not come after the binding of the next attempt, which says that the pod is scheduled. As API calls of kube-scheduler about one object.
 */
export const requestsOf = (uid: string): string => `pod/${uid}`;

/** Requests that are made beside the scheduling of pods, a bounded number at a time. A task is tried again when it fails. */
export class TaskQueue {
  readonly #queue = new WorkQueue({ baseDelayMs: 10, maxDelayMs: 1_000 });
  readonly #tasks = new Map<string, { readonly task: Task; tries: number }>();
  readonly #log: Logger;
  #onRoom: (() => void)[] = [];

  constructor(log: Logger) {
    this.#log = log;
  }

  get size(): number {
    return this.#tasks.size;
  }

  /** Does something, now or soon. A task with the same key that has not begun is replaced. */
  add(key: string, task: Task): void {
    this.#tasks.set(key, { task, tries: 0 });
    this.#queue.add(key);
  }

  /** Resolves when there are fewer than `limit` tasks. */
  async below(limit: number): Promise<void> {
    while (this.#tasks.size >= limit) await new Promise<void>((resolve) => this.#onRoom.push(resolve));
  }

  /** Runs the tasks, `workers` at a time, until `stop`. */
  run(workers: number): Promise<void> {
    return runWorkers(
      this.#queue,
      workers,
      (key) => this.#try(key),
      (key, error) => this.#log.error('request failed, will be tried again', { key, error: errorMessage(error) }),
    );
  }

  stop(): void {
    this.#queue.shutDown();
    this.#tasks.clear();
    this.#makeRoom();
  }

  async #try(key: string): Promise<void> {
    const entry = this.#tasks.get(key);
    if (entry === undefined) return;
    entry.tries++;
    try {
      await entry.task();
    } catch (error) {
      if (entry.tries < maxTries) throw error;
      this.#log.error('request failed', { key, error: errorMessage(error) });
    }
    // A later task with the same key may have been added in the meantime.
    if (this.#tasks.get(key) === entry) this.#tasks.delete(key);
    this.#makeRoom();
  }

  #makeRoom(): void {
    const waiting = this.#onRoom;
    this.#onRoom = [];
    for (const resolve of waiting) resolve();
  }
}
