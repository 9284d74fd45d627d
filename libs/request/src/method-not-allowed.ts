import { StatusError } from '@apichain/meta';

/** The 405 of a path that exists, but does not allow this method. */
export const newMethodNotAllowed = (): StatusError =>
  new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'the server does not allow this method on the requested resource',
    reason: 'MethodNotAllowed',
    details: {},
    code: 405,
  });
