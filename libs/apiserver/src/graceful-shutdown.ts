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

/** The parts of a server that its shutdown uses. */
interface ShutdownParts {
  readonly limits: ServerLimits;
  readonly logger: Logger;
  readonly inFlight: InFlightRequests;
  /** Whether this server has a port. Without a port, the previous server of the process has already waited for the clients. */
  isReachable(): boolean;
  /** Lets clients go to the process that has taken the place of this one, if there is one. Requests are served meanwhile. */
  handOver(): Promise<unknown> | undefined;
  /** Refuses new connections. */
  stopAccepting(): void;
  /** Closes the remaining connections. */
  breakConnections(): Promise<void>;
  /** Closes what is in use until the last response is sent. Runs after the post-shutdown hooks. */
  close(): Promise<void>;
}

/** Used for watches when no grace period is configured. */
const defaultGraceMs = 2_000;

/**
 * The shutdown of a server, in the order of RunWithContext of k8s.io/apiserver/pkg/server/genericapiserver.go. Readiness fails first.
 * After `--shutdown-delay-duration` and the pre-shutdown hooks, new requests are refused. Requests in flight are answered and watches are
 * ended. Remaining connections are closed.
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

  /** Aborts when new requests are refused. Until then requests are served as before. */
  get notAccepting(): AbortSignal {
    return this.#notAccepting.signal;
  }

  /** Whether shutdown has begun and `--shutdown-delay-duration` has passed. */
  get isDelayOver(): boolean {
    return this.#delayIsOver;
  }

  /** The readiness check `shutdown`. Throws Error when shutdown has begun. */
  check(): void {
    if (this.#initiated.signal.aborted) throw new Error('process is shutting down');
  }

  /** Adds a hook that runs when shutdown begins, while requests are still served. */
  addPreShutdownHook(name: string, hook: ShutdownHook): void {
    this.#preShutdownHooks.push({ name, hook });
  }

  /** Adds a hook that runs when all requests are answered and all connections are closed. */
  addPostShutdownHook(name: string, hook: ShutdownHook): void {
    this.#postShutdownHooks.push({ name, hook });
  }

  /**
   * Every call returns the same promise. Requests in flight have `patienceMs` milliseconds (default: the request timeout); then their
   * connections are closed.
   */
  run(patienceMs: number = this.#parts.limits.requestTimeoutMs): Promise<void> {
    this.#done ??= this.#run(patienceMs);
    return this.#done;
  }

  async #run(patienceMs: number): Promise<void> {
    const { inFlight, limits, logger } = this.#parts;
    const reason = newServiceUnavailable('apiserver is shutting down');
    logger.info('shutting down');
    const handedOver = this.#parts.handOver();
    if (handedOver !== undefined) await handedOver;
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

  /** Requests are served during the delay, so that load balancers have time to notice the failing readiness. */
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
