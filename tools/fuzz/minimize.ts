import { judge } from './finding.ts';
import type { FuzzRequest } from './request.ts';
import type { Target } from './target.ts';

/** Sends smaller versions of a request as long as they show the same finding. Returns the smallest. `attempts` limits the number of requests. */
export async function minimize(
  target: Target,
  request: FuzzRequest,
  key: string,
  attempts = 150,
): Promise<FuzzRequest> {
  let smallest = request;
  let left = attempts;
  const shows = async (candidate: FuzzRequest): Promise<boolean> => {
    if (left-- <= 0) return false;
    return judge(await target.send(candidate))?.key === key;
  };
  // If the finding cannot be reproduced, it may depend on stored objects, and the request cannot be minimized.
  if (!(await shows(smallest))) return request;
  const tryEach = async (candidates: (from: FuzzRequest) => Iterable<FuzzRequest>) => {
    for (let progress = true; progress && left > 0;) {
      progress = false;
      for (const candidate of candidates(smallest)) {
        if (!(await shows(candidate))) continue;
        smallest = candidate;
        progress = true;
        break;
      }
    }
  };
  await tryEach(withoutOneParameter);
  await tryEach(withoutOneHeader);
  await tryEach(withoutPartOfBody);
  return smallest;
}

function* withoutOneParameter(from: FuzzRequest): Iterable<FuzzRequest> {
  for (let i = 0; i < from.query.length; i++) yield { ...from, query: from.query.toSpliced(i, 1) };
}

function* withoutOneHeader(from: FuzzRequest): Iterable<FuzzRequest> {
  for (const name of Object.keys(from.headers)) {
    const { [name]: _dropped, ...headers } = from.headers;
    yield { ...from, headers };
  }
}

/** Removes the body, then ever smaller pieces of it. */
function* withoutPartOfBody(from: FuzzRequest): Iterable<FuzzRequest> {
  const { body, ...bare } = from;
  if (body === undefined) return;
  yield bare;
  for (let size = Math.ceil(body.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < body.length && at / size < 16; at += size) {
      yield { ...from, body: Buffer.concat([body.subarray(0, at), body.subarray(at + size)]) };
    }
    if (size === 1) return;
  }
}
