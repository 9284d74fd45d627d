import { splitUrl } from '@apichain/request';
import { encodeQuery, escapePath } from '@apichain/go-text';

/**
 * The path and query as the extension API server gets them: what this server has read and authorized, written anew, as Go's net/url does it,
 * so that escapes are those that are needed and parameters are sorted by name. What could not be read is not passed on.
 */
export function forwardedUrl(url: string): string {
  const read = splitUrl(url);
  if (read === undefined) return '/';
  const path = read.path.replaceAll(/[\udc80-\udcff]|[^\udc80-\udcff]+/gu, (part) => octet(part) ?? escapePath(part));
  const query = encodeQuery(
    [...read.query.entries()].flatMap(([name, values]) => values.map((value) => [name, value])),
  );
  return query === '' ? path : `${path}?${query}`;
}

/** An octet of the path that is no UTF-8, as it came. */
function octet(part: string): string | undefined {
  const code = part.charCodeAt(0);
  return part.length === 1 && code >= 0xdc80 && code <= 0xdcff
    ? `%${(code - 0xdc00).toString(16).toUpperCase()}`
    : undefined;
}
