import { type GrpcStatus, grpcStatus } from '@apichain/etcd-api';

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
/** Whether etcd does not know the lease: it has expired or was revoked. */
export const isLeaseNotFound = (error: unknown): boolean => says(error, 'requested lease not found');

/** Whether etcd did not respond: it is down, unreachable, without a leader, or too slow. A write may or may not have been applied. */
export const isUnreachable = (error: unknown): boolean =>
  error instanceof EtcdError &&
  (error.code === grpcStatus.UNAVAILABLE ||
    error.code === grpcStatus.DEADLINE_EXCEEDED ||
    error.code === grpcStatus.CANCELLED);

const neverSentPrefix = 'No connection established';

/** The failure of a call that was never sent, so that even a write may be repeated on another endpoint. */
export const neverSent = (cause: string): EtcdError =>
  new EtcdError(grpcStatus.UNAVAILABLE, `${neverSentPrefix}: ${cause}`);

/** Whether a call failed before it was sent; grpc-js uses the same words. */
export const wasNeverSent = (error: unknown): boolean => isCutOff(error) && error.message.startsWith(neverSentPrefix);

/** Whether a call failed with its connection, or before it was sent. A read may be repeated on another endpoint; a write may have been applied. */
export const isCutOff = (error: unknown): error is EtcdError =>
  error instanceof EtcdError && error.code === grpcStatus.UNAVAILABLE;
