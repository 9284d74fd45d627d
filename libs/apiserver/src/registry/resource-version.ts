import { goQuote } from '@apichain/go-text';
import { newUnknownError, isStatusError, StatusError } from '@apichain/meta';

const uint64Text = /^[0-9]+$/;
const uint64Limit = 2n ** 64n;

/** The error of strconv.ParseUint for a text, or undefined if the text is a valid number. */
export function parseUintProblem(text: string): string | undefined {
  const quoted = goQuote(text);
  if (!uint64Text.test(text)) return `strconv.ParseUint: parsing ${quoted}: invalid syntax`;
  if (BigInt(text) >= uint64Limit) return `strconv.ParseUint: parsing ${quoted}: value out of range`;
  return undefined;
}

/**
 * metadata.resourceVersion of an object in a request: 0 when absent. Throws a Status of code 500 if it is not a
 * number, as kube-apiserver does.
 */
export function objectResourceVersion(text: string | undefined): number {
  if (text === undefined || text === '') return 0;
  const problem = parseUintProblem(text);
  if (problem !== undefined) throw newUnknownError(problem);
  return Number(text);
}

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
