import {
  newAlreadyExists,
  newConflict,
  newGenerateNameConflict,
  newNotFound,
  newRequestEntityTooLarge,
  StatusError,
  type GroupResource,
  type KubeObject,
} from '@apichain/meta';
import { KeyExistsError, KeyNotFoundError, PreconditionError } from '@apichain/storage';

/*
 * Maps storage errors to StatusErrors. Source: k8s.io/apiserver/pkg/registry/generic/registry storage error interpreters.
 */
export function interpretStoreError(
  error: unknown,
  resource: GroupResource,
  name: string,
  key: string,
  dryRun = false,
): unknown {
  if (error instanceof KeyNotFoundError) return newNotFound(resource, name);
  if (error instanceof KeyExistsError) return newAlreadyExists(resource, name);
  if (error instanceof PreconditionError)
    return newConflict(resource, name, invalidObject(error.message, dryRun ? key : `/registry${key}`));
  if (isTooLarge(error) && !(error instanceof StatusError)) return newRequestEntityTooLarge(error.message);
  return error;
}

/** Whether the object is too large for the store: matches the messages of etcd, its client and the gRPC library. */
export const isTooLarge = (error: unknown): error is Error =>
  error instanceof Error && /request is too large|message larger than max|ResourceExhausted/.test(error.message);

/** The message of kube-apiserver's store, which shows keys under its default prefix. Dry runs have no such message. */
const invalidObject = (message: string, key: string) =>
  `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${message}`;

/** Runs a store operation and maps its errors for the client. */
export async function withStoreErrors<T>(
  resource: GroupResource,
  name: string,
  key: string,
  run: () => Promise<T>,
): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw interpretStoreError(error, resource, name, key);
  }
}

/** The error when a generated name is taken: the client may retry. */
export function generatedNameConflict(resource: GroupResource, object: KubeObject): StatusError | undefined {
  const { generateName = '', name = '' } = object.metadata;
  return generateName === '' ? undefined : newGenerateNameConflict(resource, name, 1);
}

/** The error when the name is taken by an object that is being deleted. */
export function beingDeleted(error: StatusError): StatusError {
  return new StatusError({ ...error.status, message: `object is being deleted: ${error.message}` });
}
