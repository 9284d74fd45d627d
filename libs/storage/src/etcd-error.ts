import { status as grpcStatus } from '@grpc/grpc-js';
import { isStatusError, newServiceUnavailable, newUnknownError } from '@apichain/meta';

/** A call that etcd, or the way to it, refused. `code` is the gRPC status code, the message etcd's own text. */
export class EtcdError extends Error {
  override readonly name = 'EtcdError';
  readonly code: number;
  constructor(code: number, details: string) {
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

/**
 * What a client is told when etcd fails: 503 with Retry-After while it cannot be reached, else 500 with etcd's text.
 * Errors of any other kind pass unchanged.
 */
export function toStatusError(error: unknown): unknown {
  if (isStatusError(error) || !(error instanceof EtcdError)) return error;
  if (isUnreachable(error))
    return newServiceUnavailable(`storage is unavailable: ${error.message}`, outageRetrySeconds);
  return newUnknownError(error.message);
}
