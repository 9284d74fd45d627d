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
 * What a failure of the store means to a client. Source: k8s.io/apiserver/pkg/registry/generic/registry storage error interpreters.
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

/** Whether the store does not take an object of that size: the words of etcd, of its client and of the gRPC library. */
export const isTooLarge = (error: unknown): error is Error =>
  error instanceof Error && /request is too large|message larger than max|ResourceExhausted/.test(error.message);

/** The words of the original's store, which names keys under its default prefix; a dry run does not get that far. */
const invalidObject = (message: string, key: string) =>
  `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${message}`;

/** Runs an operation of the store and words its failures for the client. */
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

/** A name that the server generated and that is taken: the client may simply try again. */
export function generatedNameConflict(resource: GroupResource, object: KubeObject): StatusError | undefined {
  const { generateName = '', name = '' } = object.metadata;
  return generateName === '' ? undefined : newGenerateNameConflict(resource, name, 1);
}

/** The name is taken by an object on its way out. */
export function beingDeleted(error: StatusError): StatusError {
  return new StatusError({ ...error.status, message: `object is being deleted: ${error.message}` });
}
