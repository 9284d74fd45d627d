import { EtcdServerError, grpcStatus as status } from '@apichain/etcd-api';

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
/**
 * Has no counterpart in etcd, which exits when its disk is full. The code is that of etcd's full database, so that clients do not consider the
 * server unavailable.
 */
export const noDiskSpace = refusal(status.RESOURCE_EXHAUSTED, 'no space left on the disk of the store');
export const notWritable = (reason: string) =>
  new EtcdServerError(status.INTERNAL, `etcdserver: the store cannot be written: ${reason}`);
export const leaseNotFound = refusal(status.NOT_FOUND, 'requested lease not found');
export const leaseExists = refusal(status.FAILED_PRECONDITION, 'lease already exists');
export const leaseTtlTooLarge = refusal(status.OUT_OF_RANGE, 'too large lease TTL');
export const stopped = refusal(status.UNAVAILABLE, 'server stopped');

/** The call belongs to etcd's API but is not implemented by this server; `feature` names the missing feature. */
export const unimplemented = (method: string, feature: string) =>
  new EtcdServerError(
    status.UNIMPLEMENTED,
    `etcdserver: ${method} is not implemented: the embedded etcd has no ${feature}`,
  );
