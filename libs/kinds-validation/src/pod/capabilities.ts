import type { Strategy } from '@apichain/apiserver';

/**
 * What the cluster lets containers have (`--allow-privileged`), as kube-apiserver keeps it in pkg/capabilities: for whoever checks a pod
 * spec, however deep in another object. Checks are synchronous, so it is set around each of them and several servers of one process may
 * differ.
 */
let allowPrivileged = false;

/** Whether containers may be privileged and processes of a Windows host; only asked within a check. */
export const privilegedIsAllowed = (): boolean => allowPrivileged;

/** Runs a check under which privileged containers are allowed. */
export function allowingPrivileged<Result>(check: () => Result): Result {
  const before = allowPrivileged;
  allowPrivileged = true;
  try {
    return check();
  } finally {
    allowPrivileged = before;
  }
}

/** The strategy of a server that allows privileged containers. */
export function withPrivileged(strategy: Strategy): Strategy {
  const { validate, validateUpdate } = strategy;
  return {
    ...strategy,
    ...(validate === undefined ? {} : { validate: (...checked) => allowingPrivileged(() => validate(...checked)) }),
    ...(validateUpdate === undefined
      ? {}
      : { validateUpdate: (...checked) => allowingPrivileged(() => validateUpdate(...checked)) }),
  };
}
