import { setTimeout as delay } from 'node:timers/promises';
import { newServiceUnavailable } from '@apichain/meta';
import type { Logger } from 'pino';
import type { InFlightRequests } from './filters/in-flight-requests.ts';
import type { ServerLimits } from './server-config.ts';

export type ShutdownHook = () => Promise<void> | void;

interface NamedHook {
  readonly name: string;
  readonly hook: ShutdownHook;
}

/** What a shutdown needs of its server. */
export interface ShutdownParts {
  readonly limits: ServerLimits;
  readonly logger: Logger;
  readonly inFlight: InFlightRequests;
  /** Whether clients come by a port of this server; else the one before it in the process has waited for them already. */
  isReachable(): boolean;
  /** No further connections from here on. */
  stopAccepting(): void;
  /** Breaks what is still connected. */
  breakConnections(): Promise<void>;
  /** After the post-shutdown hooks: what was needed until the last answer. */
  close(): Promise<void>;
}

/** For watches that nobody has set a time for. */
const defaultGraceMs = 2_000;

/**
 * The end of a server, in the order of RunWithContext of k8s.io/apiserver/pkg/server/genericapiserver.go: readiness fails; after
 * `--shutdown-delay-duration` and the pre-shutdown hooks no further requests are accepted; those under way are answered, watches ended;
 * what is left is broken.
 */
export class GracefulShutdown {
  readonly #parts: ShutdownParts;
  readonly #initiated = new AbortController();
  readonly #notAccepting = new AbortController();
  readonly #preShutdownHooks: NamedHook[] = [];
  readonly #postShutdownHooks: NamedHook[] = [];
  #delayIsOver = false;
  #done: Promise<void> | undefined;

  constructor(parts: ShutdownParts) {
    this.#parts = parts;
  }

  /** Aborts when shutdown begins. */
  get initiated(): AbortSignal {
    return this.#initiated.signal;
  }

  /** Aborts when no further requests are accepted: until then those that come are served as well as before. */
  get notAccepting(): AbortSignal {
    return this.#notAccepting.signal;
  }

  /** Shutdown has begun and `--shutdown-delay-duration` has passed. */
  get isDelayOver(): boolean {
    return this.#delayIsOver;
  }

  /** Throws Error when shutdown has begun: the readiness check `shutdown`. */
  check(): void {
    if (this.#initiated.signal.aborted) throw new Error('process is shutting down');
  }

  /** Runs when shutdown begins, while requests are still served. */
  addPreShutdownHook(name: string, hook: ShutdownHook): void {
    this.#preShutdownHooks.push({ name, hook });
  }

  /** Runs when everything is answered and closed. */
  addPostShutdownHook(name: string, hook: ShutdownHook): void {
    this.#postShutdownHooks.push({ name, hook });
  }

  /**
   * The same promise whoever calls it first. Requests under way have `patienceMs` milliseconds, as long as any may take unless something else
   * is said; then their connections end.
   */
  run(patienceMs: number = this.#parts.limits.requestTimeoutMs): Promise<void> {
    this.#done ??= this.#run(patienceMs);
    return this.#done;
  }

  async #run(patienceMs: number): Promise<void> {
    const { inFlight, limits, logger } = this.#parts;
    const reason = newServiceUnavailable('apiserver is shutting down');
    logger.info('shutting down');
    this.#initiated.abort(reason);
    const delayMs = this.#parts.isReachable() ? limits.shutdownDelayMs : 0;
    await Promise.all([this.#delay(delayMs), this.#runHooks(this.#preShutdownHooks)]);
    this.#notAccepting.abort(reason);
    const sendsRetryAfter = limits.shutdownSendRetryAfter === true;
    if (!sendsRetryAfter) this.#parts.stopAccepting();
    const { shutdownWatchGraceMs: grace } = limits;
    const drained = inFlight.drain(patienceMs);
    await Promise.all([drained, inFlight.endLongRunning(reason, grace)]);
    if (sendsRetryAfter) this.#parts.stopAccepting();
    await inFlight.longRunningEnded(Math.min(patienceMs, grace > 0 ? grace : defaultGraceMs));
    await this.#parts.breakConnections();
    await this.#runHooks(this.#postShutdownHooks);
    await this.#parts.close();
    logger.info('stopped');
  }

  /** Requests are served meanwhile, so that load balancers have time to hear of it. */
  async #delay(milliseconds: number): Promise<void> {
    if (milliseconds > 0) await delay(milliseconds);
    this.#delayIsOver = true;
  }

  async #runHooks(hooks: readonly NamedHook[]): Promise<void> {
    for (const { name, hook } of hooks) {
      try {
        await hook();
      } catch (error) {
        this.#parts.logger.error({ hook: name, err: error }, 'shutdown hook failed');
      }
    }
  }
}
