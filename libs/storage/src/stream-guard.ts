import { asError } from '@apichain/meta';
import type { StreamHandlers } from './etcd-transport.ts';

/**
 * The handlers of one stream, for callers that nothing may be thrown into: an `onMessage` that throws ends the stream by `cancel` with what it
 * threw, after the end or `over` nothing is called any more, and an `onEnd` that throws is reported as a warning of the process.
 */
export class StreamGuard {
  readonly #handlers: StreamHandlers;
  readonly #cancel: () => void;
  #isOver = false;

  constructor(handlers: StreamHandlers, cancel: () => void) {
    this.#handlers = handlers;
    this.#cancel = cancel;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** The caller has lost interest. */
  over(): void {
    this.#isOver = true;
  }

  message(message: Buffer): void {
    if (!this.#isOver) this.run(() => this.#handlers.onMessage(message));
  }

  /** Does something for the stream, which ends if that throws. */
  run(work: () => void): void {
    try {
      work();
    } catch (error) {
      const cause = asError(error);
      this.#cancel();
      this.end(cause);
    }
  }

  end(cause: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    try {
      this.#handlers.onEnd(cause);
    } catch (error) {
      process.emitWarning(asError(error));
    }
  }
}
