import { splitUrl } from '@apichain/request';
import { encodeQuery, escapePath } from '@apichain/go-text';

/**
 * The path and query for the extension API server: what this server has parsed and authorized, encoded again as by Go's net/url, with minimal
 * escapes and parameters sorted by name. Parts that could not be parsed are not forwarded.
 */
export function forwardedUrl(url: string): string {
  const read = splitUrl(url);
  if (read === undefined) return '/';
  const path = escapePath(read.path);
  const query = encodeQuery(
    [...read.query.entries()].flatMap(([name, values]) => values.map((value) => [name, value])),
  );
  return query === '' ? path : `${path}?${query}`;
}
