import { type GrpcStatus, grpcStatus } from '@apichain/embedded-etcd/grpc-status';
import { isStatusError, newServiceUnavailable, newUnknownError, StatusError } from '@apichain/meta';

/** A call that etcd, or the way to it, refused. `code` is the gRPC status code, the message etcd's own text. */
export class EtcdError extends Error {
  override readonly name = 'EtcdError';
  readonly code: GrpcStatus;
  constructor(code: GrpcStatus, details: string) {
    super(details);
    this.code = code;
  }
}

const says = (error: unknown, text: string) => error instanceof EtcdError && error.message.includes(text);

/** The revision asked for is gone from etcd's history. */
export const isCompacted = (error: unknown): boolean => says(error, 'required revision has been compacted');
/** The revision asked for does not exist yet. */
export const isFutureRevision = (error: unknown): boolean => says(error, 'required revision is a future revision');
export const isLeaseNotFound = (error: unknown): boolean => says(error, 'requested lease not found');

/** No answer from etcd: down, unreachable, without a leader, or too slow. A write may or may not have happened. */
export const isUnreachable = (error: unknown): boolean =>
  error instanceof EtcdError &&
  (error.code === grpcStatus.UNAVAILABLE ||
    error.code === grpcStatus.DEADLINE_EXCEEDED ||
    error.code === grpcStatus.CANCELLED);

/** Seconds after which a client may try again while etcd is away. */
const outageRetrySeconds = 1;

// Not the transport's own text, which names addresses.
const unavailable = (what: string) => newServiceUnavailable(`storage is unavailable: ${what}`, outageRetrySeconds);

const neverSentPrefix = 'No connection established';

/** The failure of a call that never left this process, so that even a write may be tried again elsewhere. */
export const neverSent = (cause: string): EtcdError =>
  new EtcdError(grpcStatus.UNAVAILABLE, `${neverSentPrefix}: ${cause}`);

/** Whether a call failed before it was sent; grpc-js says it in the same words. */
export const wasNeverSent = (error: unknown): boolean => isCutOff(error) && error.message.startsWith(neverSentPrefix);

/** Whether a call failed with its connection, or before it was sent: a read may be asked again elsewhere, a write may have happened. */
export const isCutOff = (error: unknown): error is EtcdError =>
  error instanceof EtcdError && error.code === grpcStatus.UNAVAILABLE;

/** Seconds after which a write to a store without room may be tried again. */
const fullRetrySeconds = 5;

/** As kube-apiserver answers etcd's NOSPACE, and when to try again: whether there is room by then is not up to the client. */
function storeIsFull(text: string): StatusError {
  const { status } = newUnknownError(text);
  return new StatusError({ ...status, details: { ...status.details, retryAfterSeconds: fullRetrySeconds } });
}

/**
 * What a client is told when etcd fails: 503 with Retry-After while it cannot be reached, else 500 with etcd's text.
 * Errors of any other kind pass unchanged.
 */
export function toStatusError(error: unknown): unknown {
  if (isStatusError(error) || !(error instanceof EtcdError)) return error;
  if (error.code === grpcStatus.DEADLINE_EXCEEDED) return unavailable('etcd did not answer in time');
  if (isUnreachable(error)) return unavailable('etcd cannot be reached');
  if (error.code === grpcStatus.RESOURCE_EXHAUSTED && /\bspace\b/.test(error.message))
    return storeIsFull(error.message);
  return newUnknownError(error.message);
}
