import { grpcStatus } from './grpc-status.ts';
import type { IOptions } from 'etcd3';
import { EtcdError } from './etcd-error.ts';

type Policy = NonNullable<NonNullable<IOptions['faultHandling']>['global']>;

/** Nobody listens to these events; the interface asks for them. */
const noEvents = () => ({ dispose: () => undefined });

/**
 * When a connection pool may use an endpoint. An endpoint that could not be reached is passed over for `restMilliseconds`,
 * so that with several of them the next one answers; 0 never passes one over, because a single endpoint is always worth
 * trying: it is what makes recovery immediate.
 */
export function endpointPolicy(restMilliseconds: number): Policy {
  let restsUntil = 0;
  return {
    _altReturn: undefined as never,
    onSuccess: noEvents,
    onFailure: noEvents,
    async execute(fn, signal = new AbortController().signal) {
      if (restMilliseconds > 0 && Date.now() < restsUntil) {
        throw new EtcdError(grpcStatus.UNAVAILABLE, 'etcd endpoint is resting after a failure');
      }
      try {
        return await fn({ signal });
      } catch (error) {
        if (error instanceof EtcdError && error.code === grpcStatus.UNAVAILABLE) {
          restsUntil = Date.now() + restMilliseconds;
        }
        throw error;
      }
    },
  };
}
