import { countMembers, maxMembers, parseJson, parseYaml } from '@apichain/meta';
import { builtinProtobuf } from '@apichain/kinds';
import { decodeCbor } from '@apichain/scheme';
import type { FuzzRequest } from '../request.ts';

/** A kind of request that can be created in any size. */
export interface StallCase {
  /** Unique among the cases; the same for the same seed and index. */
  readonly name: string;
  /** Returns the request with `size` items, repetitions or characters, depending on the case. */
  readonly request: (size: number) => FuzzRequest;
  /** The largest size that the case supports. Otherwise the limits of a request apply. */
  readonly maxSize?: number;
  /** Objects to store first. The administrator sends these requests; their responses are ignored. */
  readonly stored?: (size: number) => readonly FuzzRequest[];
  /** How many times the request is sent at once (1). */
  readonly parallel?: number;
  /** Whether the client takes no byte of the response. */
  readonly unread?: boolean;
  /** Whether the client speaks HTTP/2, over one connection (HTTP/1.1, over one for each request at a time). */
  readonly http2?: boolean;
  /** Removes what `stored` made, so that the next case finds an empty server. */
  readonly forget?: FuzzRequest;
  /** Requests to send one by one after the server has finished its background work. The neighbour is measured meanwhile. */
  readonly afterwards?: () => readonly FuzzRequest[];
  /** How long the server may do background work after its response, in milliseconds. The neighbour is measured meanwhile. */
  readonly workMs?: number;
  /** The same case with one of its parts left out, for the minimiser. */
  readonly simpler?: readonly (() => StallCase)[];
}

/** The largest body that the server reads, and a size of request line and headers that it accepts, in bytes. */
const maxBody = 3 * 1024 * 1024;
const maxHead = 1_000_000;

const headLength = ({ path, query, headers }: FuzzRequest): number =>
  path.length +
  query.reduce((sum, part) => sum + part.length + 1, 0) +
  Object.entries(headers).reduce((sum, [name, value]) => sum + name.length + value.length, 0);

/** The largest size, within a few percent, at which the server still has to read the request. */
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
  // Later items may be longer than the first ones. A request takes up to a second to make, so few sizes are tried.
  while (size > 1) {
    const { body, head } = length(size);
    const excess = Math.max(body / maxBody, head / maxHead);
    if (excess <= 1) break;
    size = Math.floor((size / excess) * 0.98);
  }
  return Math.max(1, size);
}

function documentOf({ headers, body }: FuzzRequest): unknown {
  const contentType = headers['content-type'] ?? '';
  if (body === undefined || body.length === 0) return undefined;
  if (contentType.includes('protobuf')) return builtinProtobuf.decode(body);
  if (contentType.includes('cbor')) return decodeCbor(body);
  return contentType.includes('yaml') ? parseYaml(body) : parseJson(body);
}

/** The number of members in the document of a request; 0 if it cannot be parsed. */
function membersOf(request: FuzzRequest): number {
  try {
    return countMembers(documentOf(request), Infinity);
  } catch (error) {
    if (error instanceof Error) return 0;
    throw error;
  }
}

/** The two sizes from which the number of members for each item is calculated. */
const [fewItems, moreItems] = [200, 1200];

/**
 * The largest size at which the documents of a case, including the stored ones, do not exceed the limit of members. Undefined when the
 * largest size does not exceed it either, or when the number of members does not depend on the size.
 */
export function sizeWithinMembers({ request, stored }: StallCase, largest: number): number | undefined {
  if (largest <= moreItems) return undefined;
  const count = (size: number) =>
    [request(size), ...(stored?.(size) ?? [])].reduce((sum, made) => sum + membersOf(made), 0);
  const each = (count(moreItems) - count(fewItems)) / (moreItems - fewItems);
  if (each <= 0) return undefined;
  // The server adds a few members.
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

/** An array of `count` items. */
export const times = <T>(count: number, item: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => item(index));
