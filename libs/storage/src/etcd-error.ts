import { type GrpcStatus, grpcStatus } from '@apichain/etcd-api';
import { isStatusError, newServiceUnavailable, newUnknownError, StatusError } from '@apichain/meta';

/** A call that failed, in etcd or on the connection to it. `code` is the gRPC status code, the message is etcd's. */
export class EtcdError extends Error {
  override readonly name = 'EtcdError';
  readonly code: GrpcStatus;
  constructor(code: GrpcStatus, details: string) {
    super(details);
    this.code = code;
  }
}

const says = (error: unknown, text: string) => error instanceof EtcdError && error.message.includes(text);

/** Whether the requested revision has been compacted. */
export const isCompacted = (error: unknown): boolean => says(error, 'required revision has been compacted');
/** Whether the requested revision does not exist yet. */
export const isFutureRevision = (error: unknown): boolean => says(error, 'required revision is a future revision');
export const isLeaseNotFound = (error: unknown): boolean => says(error, 'requested lease not found');

/** Whether etcd did not answer: it is down, unreachable, without a leader, or too slow. A write may or may not have been applied. */
export const isUnreachable = (error: unknown): boolean =>
  error instanceof EtcdError &&
  (error.code === grpcStatus.UNAVAILABLE ||
    error.code === grpcStatus.DEADLINE_EXCEEDED ||
    error.code === grpcStatus.CANCELLED);

/** Retry-After for clients during an outage of etcd, in seconds. */
const outageRetrySeconds = 1;

// The transport's message is not used, because it contains addresses.
const unavailable = (what: string) => newServiceUnavailable(`storage is unavailable: ${what}`, outageRetrySeconds);

const neverSentPrefix = 'No connection established';

/** The failure of a call that was never sent, so that even a write may be repeated on another endpoint. */
export const neverSent = (cause: string): EtcdError =>
  new EtcdError(grpcStatus.UNAVAILABLE, `${neverSentPrefix}: ${cause}`);

/** Whether a call failed before it was sent; grpc-js uses the same words. */
export const wasNeverSent = (error: unknown): boolean => isCutOff(error) && error.message.startsWith(neverSentPrefix);

/** Whether a call failed with its connection, or before it was sent. A read may be repeated on another endpoint; a write may have been applied. */
export const isCutOff = (error: unknown): error is EtcdError =>
  error instanceof EtcdError && error.code === grpcStatus.UNAVAILABLE;

/** Retry-After for a write to a store that is full, in seconds. */
const fullRetrySeconds = 5;

/** kube-apiserver's answer to etcd's NOSPACE, with a Retry-After: clients cannot know when there is space again. */
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
