import { isStatusError, StatusError } from '@apichain/meta';

/** Numbers of this length are beyond 2^53, or may be. */
const firstInexactLength = 16;

/**
 * A read at a resourceVersion that a client named. Revisions are numbers here, exact up to 2^53; who asks for one beyond, which
 * does not exist, is told of what was asked for and not of the nearest number.
 */
export function withExactDigits<T>(resourceVersion: string, read: Promise<T>): Promise<T> {
  return resourceVersion.length < firstInexactLength
    ? read
    : read.catch((error: unknown) => restate(error, resourceVersion));
}

function restate(error: unknown, resourceVersion: string): never {
  if (!isStatusError(error, 'Timeout') || !/^\d+$/.test(resourceVersion)) throw error;
  const { status } = error;
  const message = (status.message ?? '').replace(String(Number(resourceVersion)), String(BigInt(resourceVersion)));
  throw new StatusError({ ...status, message });
}
