import { grpcStatus as status } from './grpc-status.ts';

/** A refusal with the gRPC code and text that etcd gives (api/v3rpc/rpctypes/error.go of etcd). */
export class EtcdServerError extends Error {
  override readonly name = 'EtcdServerError';
  readonly code: number;
  readonly details: string;

  constructor(code: number, details: string) {
    super(details);
    this.code = code;
    this.details = details;
  }
}

const refusal = (code: number, text: string) => () => new EtcdServerError(code, `etcdserver: ${text}`);

export const emptyKey = refusal(status.INVALID_ARGUMENT, 'key is not provided');
export const keyNotFound = refusal(status.INVALID_ARGUMENT, 'key not found');
export const valueProvided = refusal(status.INVALID_ARGUMENT, 'value is provided');
export const leaseProvided = refusal(status.INVALID_ARGUMENT, 'lease is provided');
export const tooManyOps = refusal(status.INVALID_ARGUMENT, 'too many operations in txn request');
export const duplicateKey = refusal(status.INVALID_ARGUMENT, 'duplicate key given in txn request');
export const invalidSortOption = refusal(status.INVALID_ARGUMENT, 'invalid sort option');
export const requestTooLarge = refusal(status.INVALID_ARGUMENT, 'request is too large');
export const compacted = refusal(status.OUT_OF_RANGE, 'mvcc: required revision has been compacted');
export const futureRevision = refusal(status.OUT_OF_RANGE, 'mvcc: required revision is a future revision');
export const noSpace = refusal(status.RESOURCE_EXHAUSTED, 'mvcc: database space exceeded');
/** Not etcd's, which ends on a full disk; the code is that of its own full store, so that nobody takes the server for dead. */
export const noDiskSpace = refusal(status.RESOURCE_EXHAUSTED, 'no space left on the disk of the store');
export const notWritable = (reason: string) =>
  new EtcdServerError(status.INTERNAL, `etcdserver: the store cannot be written: ${reason}`);
export const leaseNotFound = refusal(status.NOT_FOUND, 'requested lease not found');
export const leaseExists = refusal(status.FAILED_PRECONDITION, 'lease already exists');
export const leaseTtlTooLarge = refusal(status.OUT_OF_RANGE, 'too large lease TTL');
export const stopped = refusal(status.UNAVAILABLE, 'server stopped');

/** The call is part of etcd's API but not of this server; `feature` says what it belongs to. */
export const unimplemented = (method: string, feature: string) =>
  new EtcdServerError(
    status.UNIMPLEMENTED,
    `etcdserver: ${method} is not implemented: the embedded etcd has no ${feature}`,
  );
