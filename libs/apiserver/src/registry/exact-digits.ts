import { isStatusError, StatusError } from '@apichain/meta';

/** Numbers with at least this many digits may exceed 2^53. */
const firstInexactLength = 16;

/**
 * A read at a resourceVersion from a client. Revisions are numbers here, exact up to 2^53. An error about a larger revision, which
 * cannot exist, must show the client's text and not the rounded number.
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
