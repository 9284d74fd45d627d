import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { newServiceUnavailable } from '@apichain/meta';
import { scopeOf, type RequestScope } from '@apichain/request';
import { writeStatusError } from '@apichain/request';
import { isExemptFromShutdown } from '@apichain/request';
import type { Filter } from '@apichain/request';

const pollMs = 20;
const mostStalledMs = 100;
/** The minimum number of watches ended per second of a shutdown, so that a shutdown with few watches is short. */
const slowestPerSecond = 200;
const stepsPerSecond = 20;

/**
 * Tracks the requests in flight, so that a shutdown can wait for the short requests and end the long-running ones.
 * During draining, new requests get 503 and clients should retry with another server.
 */
export class InFlightRequests {
  readonly #longRunning = new Set<RequestScope>();
  #short = 0;
  #draining = false;
  #drained: (() => void) | undefined;

  readonly filter: Filter = (request, response, next) => {
    const scope = scopeOf(request);
    if (this.#draining) {
      this.#follow(scope);
      if (isExemptFromShutdown(scope)) next();
      else refuse(request, response);
      return;
    }
    if (scope.longRunning) {
      this.#longRunning.add(scope);
      scope.onFinish(() => this.#longRunning.delete(scope));
      next();
      return;
    }
    this.#follow(scope);
    next();
  };

  #follow(scope: RequestScope): void {
    this.#short++;
    scope.onFinish(() => this.#shortDone());
  }

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

  /** Refuses new requests. Resolves when the short requests in flight and the refusals are done, at the latest after `timeoutMs`. */
  async drain(timeoutMs: number): Promise<void> {
    this.#draining = true;
    // Requests that have arrived in this turn of the event loop get their refusals too.
    await nextTurn();
    if (this.#short === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      this.#drained = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /**
   * Resolves when the long-running requests have ended, or when the remaining ones make no progress because their clients do not
   * read; at the latest after `timeoutMs`.
   */
  async longRunningEnded(timeoutMs: number): Promise<void> {
    const until = performance.now() + timeoutMs;
    let left = this.#left();
    let stalledMs = 0;
    while (this.#longRunning.size > 0 && stalledMs < mostStalledMs && performance.now() < until) {
      await delay(pollMs);
      const now = this.#left();
      stalledMs = now === left ? stalledMs + pollMs : 0;
      left = now;
    }
  }

  /** The remaining work of the long-running requests; the text differs after each step of progress. */
  #left(): string {
    let bytes = 0;
    for (const { response } of this.#longRunning) bytes += response.writableLength;
    return `${this.#longRunning.size} ${bytes}`;
  }

  /**
   * Aborts every long-running request: all at once, or spread over `graceMs` milliseconds, so that clients do not all reconnect
   * at the same moment. Resolves when all are aborted.
   */
  async endLongRunning(reason: Error, graceMs = 0): Promise<void> {
    const scopes = [...this.#longRunning];
    const perSecond = graceMs > 0 ? Math.max(slowestPerSecond, (scopes.length * 1000) / graceMs) : Infinity;
    const step = Math.min(scopes.length, Math.ceil(perSecond / stepsPerSecond));
    for (let at = 0; at < scopes.length; at += step) {
      if (at > 0) await delay(1000 / stepsPerSecond);
      for (const scope of scopes.slice(at, at + step)) scope.abort(reason);
    }
  }
}

function refuse(request: IncomingMessage, response: ServerResponse): void {
  response.setHeader('Retry-After', '1');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Connection', 'close');
  writeStatusError(request, response, newServiceUnavailable('apiserver is shutting down'));
}
