import { setTimeout as delay } from 'node:timers/promises';
import { newServiceUnavailable } from '@apichain/meta';
import { scopeOf, type RequestScope } from '../request-scope.ts';
import { writeStatusError } from '../responses.ts';
import type { Filter } from './filter.ts';

const pollMs = 20;

/**
 * Knows every request being served, so that a shutdown can wait for the short ones and end the long-running ones.
 * Once draining has begun, a short request gets 503 and should be tried elsewhere.
 */
export class InFlightRequests {
  readonly #longRunning = new Set<RequestScope>();
  #short = 0;
  #draining = false;
  #drained: (() => void) | undefined;

  readonly filter: Filter = (request, response, next) => {
    const scope = scopeOf(request);
    if (scope.longRunning) {
      this.#longRunning.add(scope);
      scope.onFinish(() => this.#longRunning.delete(scope));
      next();
      return;
    }
    if (this.#draining) {
      response.setHeader('Retry-After', '1');
      response.setHeader('X-Content-Type-Options', 'nosniff');
      response.setHeader('Connection', 'close');
      writeStatusError(request, response, newServiceUnavailable('apiserver is shutting down'));
      return;
    }
    this.#short++;
    scope.onFinish(() => this.#shortDone());
    next();
  };

  get shortCount(): number {
    return this.#short;
  }

  get longRunning(): Iterable<RequestScope> {
    return this.#longRunning;
  }

  get draining(): boolean {
    return this.#draining;
  }

  #shortDone(): void {
    this.#short--;
    if (this.#short === 0) this.#drained?.();
  }

  /** Refuses new short requests and resolves when those under way are done, at the latest after `timeoutMs`. */
  async drain(timeoutMs: number): Promise<void> {
    this.#draining = true;
    if (this.#short === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      this.#drained = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Resolves when the long-running requests have ended, at the latest after `timeoutMs`. */
  async longRunningEnded(timeoutMs: number): Promise<void> {
    const until = Date.now() + timeoutMs;
    while (this.#longRunning.size > 0 && Date.now() < until) await delay(pollMs);
  }

  /** Tells every long-running request to end. */
  endLongRunning(reason: Error): void {
    for (const scope of this.#longRunning) scope.abort(reason);
  }
}
