import type { IOptions } from 'etcd3';
import { grpcStatus } from '@apichain/etcd-api';
import { EtcdError } from '../etcd-error.ts';

type Policy = NonNullable<NonNullable<IOptions['faultHandling']>['global']>;

/** These events have no listeners here, but the interface requires them. */
const noEvents = () => ({ dispose: () => undefined });

const policy = (execute: Policy['execute']): Policy => ({
  _altReturn: undefined as never,
  onSuccess: noEvents,
  onFailure: noEvents,
  execute,
});

/** Executes each call once. A failed write may have been applied, and only its caller can decide whether to repeat it. */
export const neverRepeat: Policy = policy(async (fn, signal = new AbortController().signal) => fn({ signal }));

/**
 * Chooses the endpoint of a pool: the one whose last failure is longest ago, initially in the given order. Replaces the circuit breakers of etcd3,
 * which stop using an endpoint for five seconds after three failures. Here one failure switches to the next endpoint. An endpoint that recovers is
 * used at once when no other endpoint works, so the outage of a restarting etcd is not prolonged.
 */
export class EndpointChoice {
  /** Number of the last failure of each endpoint; a higher number is more recent. */
  readonly #failed: Map<string, number>;
  #failures = 0;
  /** Failures since the last success of any endpoint. */
  #failuresInRow = 0;

  constructor(endpoints: readonly string[]) {
    this.#failed = new Map(endpoints.map((endpoint, index) => [endpoint, index - endpoints.length]));
  }

  /** The endpoint to use now. */
  get preferred(): string | undefined {
    const [first] = [...this.#failed].sort(([, a], [, b]) => a - b);
    return first?.[0];
  }

  /** Whether every endpoint has failed since the last success. */
  get isOutage(): boolean {
    return this.#failuresInRow >= this.#failed.size;
  }

  /** Records a failure: the other endpoints are preferred from now on. */
  failed(endpoint: string): void {
    this.#failed.set(endpoint, ++this.#failures);
    this.#failuresInRow++;
  }

  /**
   * The pool's policy for one endpoint. Rejects when another endpoint is preferred, and the pool then tries the next one. A failure reported by the
   * pool counts as a failure of the endpoint.
   */
  policyOf(endpoint: string): Policy {
    return policy(async (fn, signal = new AbortController().signal) => {
      if (this.preferred !== endpoint) {
        throw new EtcdError(grpcStatus.UNAVAILABLE, 'another etcd endpoint failed longer ago');
      }
      try {
        const result = await fn({ signal });
        this.#failuresInRow = 0;
        return result;
      } catch (error) {
        this.failed(endpoint);
        throw error;
      }
    });
  }
}
