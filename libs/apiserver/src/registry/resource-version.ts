import { goQuote } from '@apichain/go-text';
import { newUnknownError } from '@apichain/meta';

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
