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
