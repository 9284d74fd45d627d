import { asError } from '@apichain/meta';
import type { StreamHandlers } from './etcd-transport.ts';

/**
 * Wraps the handlers of one stream so that no error propagates to the caller. When `onMessage` throws, the stream is cancelled and `onEnd` gets the
 * error. After the end or `over`, no handler is called. When `onEnd` throws, the error is emitted as a process warning.
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

  /** Called when the caller no longer wants messages. */
  over(): void {
    this.#isOver = true;
  }

  message(message: Buffer): void {
    if (!this.#isOver) this.run(() => this.#handlers.onMessage(message));
  }

  /** Runs `work` for the stream; an error of `work` ends the stream. */
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
