import { newBadRequest, newUnknownError } from '@apichain/meta';

/** Go's error message for text that is not a uint64, or undefined. */
function parseFailure(text: string): string | undefined {
  if (!/^\d+$/.test(text)) return 'invalid syntax';
  return BigInt(text) > 18_446_744_073_709_551_615n ? 'value out of range' : undefined;
}

function complaintAbout(resourceVersion: string): string | undefined {
  const failure = parseFailure(resourceVersion);
  if (failure === undefined) return undefined;
  const quoted = JSON.stringify(resourceVersion);
  return `resourceVersion: Invalid value: ${quoted}: strconv.ParseUint: parsing ${quoted}: ${failure}`;
}

/**
 * Parses the resourceVersion of a get or watch; '' is 0. Values beyond 2^53 lose precision, which does not matter for a comparison with a real
 * revision. Throws the message alone as 500, like kube-apiserver for these two verbs.
 */
export function parseResourceVersion(resourceVersion: string): number {
  if (resourceVersion === '') return 0;
  const complaint = complaintAbout(resourceVersion);
  if (complaint !== undefined) throw newUnknownError(complaint);
  return Number(resourceVersion);
}

/** Parses the resourceVersion of a list, and of a get that etcd serves. Throws 400 `invalid resource version: ...`. */
export function parseListResourceVersion(resourceVersion: string): number {
  if (resourceVersion === '') return 0;
  const complaint = complaintAbout(resourceVersion);
  if (complaint !== undefined) throw newBadRequest(`invalid resource version: ${complaint}`);
  return Number(resourceVersion);
}
