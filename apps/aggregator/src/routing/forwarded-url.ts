import { encodeQuery, escapePath } from '@apichain/meta';

/**
 * The path and query as the extension API server gets them: read and written anew, as Go's net/url does it, so that escapes are those
 * that are needed and parameters are sorted by name.
 */
export function forwardedUrl(url: string): string {
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  const query = mark < 0 ? '' : encodedQuery(url.slice(mark + 1));
  const escaped = escapePath(decoded(path) ?? path);
  return query === '' ? escaped : `${escaped}?${query}`;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

/** Parameters that cannot be read, or have a `;`, are dropped. */
function encodedQuery(query: string): string {
  const parameters: [string, string][] = [];
  for (const part of query.split('&')) {
    if (part === '' || part.includes(';')) continue;
    const equals = part.indexOf('=');
    const [name, value] = equals < 0 ? [part, ''] : [part.slice(0, equals), part.slice(equals + 1)];
    const [key, content] = [name, value].map((text) => decoded(text.replaceAll('+', ' ')));
    if (key !== undefined && content !== undefined) parameters.push([key, content]);
  }
  return encodeQuery(parameters);
}
