import { sleep } from '@apichain/meta';
import type { AuditBackend, AuditFailure } from './backend.ts';
import type { AuditEvent } from '@apichain/request';

interface BatchOptions {
  /** The maximum number of buffered events; further events are dropped and counted. */
  readonly bufferSize: number;
  readonly maxBatchSize: number;
  /** The maximum time in milliseconds that an event waits for its batch to fill. */
  readonly maxBatchWaitMs: number;
  /** Batches per second on average (`qps`) and in a burst; undefined = no limit. */
  readonly throttle?: { readonly qps: number; readonly burst: number };
  /** The maximum number of concurrent batches. */
  readonly concurrency: number;
}

const plugin = 'buffered';

/** A token bucket: `burst` tokens, refilled at `qps` per second. */
class TokenBucket {
  readonly #qps: number;
  readonly #burst: number;
  #tokens: number;
  #at = performance.now();

  constructor({ qps, burst }: { readonly qps: number; readonly burst: number }) {
    this.#qps = qps;
    this.#burst = burst;
    this.#tokens = burst;
  }

  /** Takes a token. Returns the milliseconds until the token is available. */
  take(): number {
    const now = performance.now();
    this.#tokens = Math.min(this.#burst, this.#tokens + ((now - this.#at) / 1000) * this.#qps) - 1;
    this.#at = now;
    return this.#tokens >= 0 ? 0 : (-this.#tokens / this.#qps) * 1000;
  }
}

/**
 * Buffers events and passes them on in batches; requests do not wait (mode `batch`). Closing passes on all remaining events.
 * After k8s.io/apiserver/plugin/pkg/audit/buffered.
 */
export class BatchBackend implements AuditBackend {
  readonly name: string;
  readonly #next: AuditBackend;
  readonly #options: BatchOptions;
  readonly #failed: AuditFailure;
  readonly #throttle: TokenBucket | undefined;
  readonly #closing = new AbortController();
  readonly #underWay = new Set<Promise<unknown>>();
  #buffer: AuditEvent[] = [];
  #timer: NodeJS.Timeout | undefined;
  #flushing: Promise<void> | undefined;

  constructor(next: AuditBackend, options: BatchOptions, failed: AuditFailure) {
    this.name = `${plugin}<${next.name}>`;
    this.#next = next;
    this.#options = options;
    this.#failed = failed;
    this.#throttle = options.throttle === undefined ? undefined : new TokenBucket(options.throttle);
  }

  process(events: readonly AuditEvent[]): boolean {
    if (this.#closing.signal.aborted) {
      this.#failed(plugin, new Error('audit backend shut down'), events);
      return true;
    }
    const room = this.#options.bufferSize - this.#buffer.length;
    this.#buffer.push(...events.slice(0, room));
    if (events.length > room) this.#failed(plugin, new Error('audit buffer queue blocked'), events.slice(room));
    this.#schedule();
    return true;
  }

  #schedule(): void {
    if (this.#flushing !== undefined || this.#buffer.length === 0) return;
    if (this.#buffer.length >= this.#options.maxBatchSize) this.#startFlush();
    else this.#timer ??= setTimeout(() => this.#startFlush(), this.#options.maxBatchWaitMs).unref();
  }

  #startFlush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#flushing ??= this.#flush().finally(() => {
      this.#flushing = undefined;
      this.#schedule();
    });
  }

  /** Passes on the buffered events, and further full batches that have accumulated in the meantime. */
  async #flush(): Promise<void> {
    // Lets the code that emitted the event continue first.
    await Promise.resolve();
    const { maxBatchSize, concurrency } = this.#options;
    do {
      const wait = this.#throttle?.take() ?? 0;
      if (wait > 0) await this.#pause(wait);
      while (this.#underWay.size >= concurrency) await Promise.race(this.#underWay);
      this.#handOn(this.#buffer.splice(0, maxBatchSize));
    } while (this.#buffer.length >= maxBatchSize);
  }

  #handOn(batch: readonly AuditEvent[]): void {
    const result = this.#next.process(batch);
    if (typeof result === 'boolean') return;
    const done = result.finally(() => this.#underWay.delete(done));
    this.#underWay.add(done);
  }

  async #pause(milliseconds: number): Promise<void> {
    // Closing ends all delays.
    await sleep(milliseconds, this.#closing.signal, { ref: false });
  }

  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#timer);
    await this.#flushing;
    while (this.#buffer.length > 0) this.#handOn(this.#buffer.splice(0, this.#options.maxBatchSize));
    const ended = this.#next.close();
    await Promise.all([...this.#underWay, ended]);
  }
}
