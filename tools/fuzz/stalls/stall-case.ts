import { countingMembers, finish, maxMembers, parseJson, parseYaml } from '@apichain/meta';
import { builtinProtobuf } from '@apichain/kinds';
import { decodeCbor } from '@apichain/scheme';
import type { FuzzRequest } from '../request.ts';

/** A kind of request that can be made in any size. */
export interface StallCase {
  /** Tells it from other cases; the same for the same seed and index. */
  readonly name: string;
  /** The request with `size` items, repetitions or characters, whatever it is that grows. */
  readonly request: (size: number) => FuzzRequest;
  /** The largest size by the nature of the case; otherwise the limits of a request decide. */
  readonly maxSize?: number;
  /** What must be stored first; sent by the administrator, answers do not matter. */
  readonly stored?: (size: number) => readonly FuzzRequest[];
  /** Sent one after the other when the server has done its work after the answer; the neighbour goes on meanwhile. */
  readonly afterwards?: () => readonly FuzzRequest[];
  /** How long the server may work on what was written once it has answered, in milliseconds; the neighbour goes on meanwhile. */
  readonly workMs?: number;
  /** Cases with one of its parts left out, for the minimiser. */
  readonly simpler?: readonly (() => StallCase)[];
}

/** The largest body that the server reads, and as much of a request line and headers as it takes, in bytes. */
const maxBody = 3 * 1024 * 1024;
const maxHead = 1_000_000;

const headLength = ({ path, query, headers }: FuzzRequest): number =>
  path.length +
  query.reduce((sum, part) => sum + part.length + 1, 0) +
  Object.entries(headers).reduce((sum, [name, value]) => sum + name.length + value.length, 0);

const fits = (request: FuzzRequest): boolean =>
  (request.body?.length ?? 0) <= maxBody && headLength(request) <= maxHead;

/** The largest size, within a few percent, at which the request is still one that a server has to read. */
export function largestSize({ request, maxSize = maxBody }: StallCase): number {
  const probe = Math.min(maxSize, 256);
  const length = (size: number) => {
    const made = request(size);
    return { body: made.body?.length ?? 0, head: headLength(made) };
  };
  const [small, large] = [length(1), length(probe)];
  const perItem = (kind: 'body' | 'head') => Math.max(0, large[kind] - small[kind]) / Math.max(1, probe - 1);
  const bound = (limit: number, each: number) => (each === 0 ? maxSize : limit / each);
  let size = Math.floor(Math.min(maxSize, bound(maxBody, perItem('body')), bound(maxHead, perItem('head'))));
  while (size > 1 && !fits(request(size))) size = Math.floor(size * 0.93);
  return Math.max(1, size);
}

function documentOf({ headers, body }: FuzzRequest): unknown {
  const contentType = headers['content-type'] ?? '';
  if (body === undefined || body.length === 0) return undefined;
  if (contentType.includes('protobuf')) return builtinProtobuf.decode(body);
  if (contentType.includes('cbor')) return decodeCbor(body);
  return contentType.includes('yaml') ? parseYaml(body) : parseJson(body);
}

/** How many members the document of a request has; 0 for one that cannot be read. */
function membersOf(request: FuzzRequest): number {
  try {
    return finish(countingMembers(documentOf(request), Infinity));
  } catch (error) {
    if (error instanceof Error) return 0;
    throw error;
  }
}

/** Sizes between which the members of a case are told apart. */
const [fewItems, moreItems] = [200, 1200];

/**
 * The size at which the documents of a case, those that are stored first included, are just not refused for their members; undefined
 * when the largest size is one anyway, or the members do not grow with it.
 */
export function sizeWithinMembers({ request, stored }: StallCase, largest: number): number | undefined {
  if (largest <= moreItems) return undefined;
  const count = (size: number) =>
    [request(size), ...(stored?.(size) ?? [])].reduce((sum, made) => sum + membersOf(made), 0);
  const each = (count(moreItems) - count(fewItems)) / (moreItems - fewItems);
  if (each <= 0) return undefined;
  // A few of them the server adds.
  const size = Math.floor(fewItems + (maxMembers - 50 - count(fewItems)) / each);
  return size < largest ? size : undefined;
}

/** A request with a body. */
export const withBody = (
  method: string,
  target: string,
  contentType: string,
  body: string | Buffer,
  headers: Readonly<Record<string, string>> = {},
): FuzzRequest => {
  const [path = '', ...query] = target.split('?');
  return {
    method,
    path,
    query,
    headers: { 'content-type': contentType, ...headers },
    body: typeof body === 'string' ? Buffer.from(body) : body,
  };
};

export const withJson = (method: string, target: string, value: unknown): FuzzRequest =>
  withBody(method, target, 'application/json', JSON.stringify(value));

/** A request without a body. */
export const plain = (
  method: string,
  path: string,
  query: readonly string[] = [],
  headers: Readonly<Record<string, string>> = {},
): FuzzRequest => ({ method, path, query, headers });

/** The items of a list of that length. */
export const times = <T>(count: number, item: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => item(index));
