import type { IOptions } from 'etcd3';
import { grpcStatus } from '@apichain/embedded-etcd/grpc-status';
import { EtcdError } from './etcd-error.ts';

type Policy = NonNullable<NonNullable<IOptions['faultHandling']>['global']>;

/** Nobody listens to these events; the interface asks for them. */
const noEvents = () => ({ dispose: () => undefined });

const policy = (execute: Policy['execute']): Policy => ({
  _altReturn: undefined as never,
  onSuccess: noEvents,
  onFailure: noEvents,
  execute,
});

/** Lets everything through, once: a write that failed may have happened, and only its caller can tell whether to repeat it. */
export const neverRepeat: Policy = policy(async (fn, signal = new AbortController().signal) => fn({ signal }));

/**
 * Which endpoint of a pool is used: the one whose last failure is longest ago, at first in the order they are given in. It takes the place of the
 * circuit breakers of etcd3, which give an endpoint up for five seconds after three failures: here one failure leads to the next endpoint, and an
 * endpoint that comes back is used at once where no other is left, so that an etcd that restarts is missed no longer than it is away.
 */
export class EndpointChoice {
  /** When each failed last, as a number that grows. */
  readonly #failed: Map<string, number>;
  #failures = 0;

  constructor(endpoints: readonly string[]) {
    this.#failed = new Map(endpoints.map((endpoint, index) => [endpoint, index - endpoints.length]));
  }

  /** The one to use now. */
  get preferred(): string | undefined {
    const [first] = [...this.#failed].sort(([, a], [, b]) => a - b);
    return first?.[0];
  }

  /** How the pool asks whether it may use an endpoint; it then tries the next. What the pool reports as a failure counts as one. */
  policyOf(endpoint: string): Policy {
    return policy(async (fn, signal = new AbortController().signal) => {
      if (this.preferred !== endpoint) {
        throw new EtcdError(grpcStatus.UNAVAILABLE, 'another etcd endpoint failed longer ago');
      }
      try {
        return await fn({ signal });
      } catch (error) {
        this.#failed.set(endpoint, ++this.#failures);
        throw error;
      }
    });
  }
}
