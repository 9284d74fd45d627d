import { grpcStatus } from '@apichain/etcd-api';
import { EtcdError, isUnreachable } from '@apichain/etcd-client';
import { isStatusError, newServiceUnavailable, newUnknownError, StatusError } from '@apichain/meta';

/** Retry-After for clients during an outage of etcd, in seconds. */
const outageRetrySeconds = 1;

// The transport's message is not used, because it contains addresses.
const unavailable = (what: string) => newServiceUnavailable(`storage is unavailable: ${what}`, outageRetrySeconds);

/** Retry-After for a write to a store that is full, in seconds. */
const fullRetrySeconds = 5;

/** kube-apiserver's response to etcd's NOSPACE, with a Retry-After: clients cannot know when there is space again. */
function storeIsFull(text: string): StatusError {
  const { status } = newUnknownError(text);
  return new StatusError({ ...status, details: { ...status.details, retryAfterSeconds: fullRetrySeconds } });
}

/**
 * The StatusError for a failure of etcd: 503 with Retry-After while etcd cannot be reached, else 500 with etcd's message. Other errors are returned
 * unchanged.
 */
export function toStatusError(error: unknown): unknown {
  if (isStatusError(error) || !(error instanceof EtcdError)) return error;
  if (error.code === grpcStatus.DEADLINE_EXCEEDED) return unavailable('etcd did not answer in time');
  if (isUnreachable(error)) return unavailable('etcd cannot be reached');
  if (error.code === grpcStatus.RESOURCE_EXHAUSTED && /\bspace\b/.test(error.message))
    return storeIsFull(error.message);
  return newUnknownError(error.message);
}
