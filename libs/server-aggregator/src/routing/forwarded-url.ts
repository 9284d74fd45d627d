import { splitUrl } from '@apichain/request';
import { encodeQuery, escapePath } from '@apichain/go-text';

/**
 * The path and query as the extension API server gets them: what this server has read and authorized, written anew, as Go's net/url does it,
 * so that escapes are those that are needed and parameters are sorted by name. What could not be read is not passed on.
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
