import { newBadRequest, newUnknownError } from '@apichain/meta';

/** Go's text for what does not parse as uint64, or undefined. */
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
 * The resourceVersion of a get or watch as a number; '' is 0. Values beyond 2^53 lose digits, which no comparison with a
 * real revision notices. Throws the bare text as 500, as kube-apiserver answers these two verbs.
 */
export function parseResourceVersion(resourceVersion: string): number {
  if (resourceVersion === '') return 0;
  const complaint = complaintAbout(resourceVersion);
  if (complaint !== undefined) throw newUnknownError(complaint);
  return Number(resourceVersion);
}

/** The resourceVersion of a list, and of a get that etcd answers. Throws 400 `invalid resource version: ...`. */
export function parseListResourceVersion(resourceVersion: string): number {
  if (resourceVersion === '') return 0;
  const complaint = complaintAbout(resourceVersion);
  if (complaint !== undefined) throw newBadRequest(`invalid resource version: ${complaint}`);
  return Number(resourceVersion);
}
