import type { ServerResponse } from 'node:http';
import { connectionHeaders, namedBy, rememberedByName } from './connection-headers.ts';

/** Headers of the connection, the date, which Node sets itself, and the audit id, which the first server has set. */
const dropped: ReadonlySet<string> = new Set([...connectionHeaders, 'date', 'audit-id']);

const isDropped = rememberedByName((name) => dropped.has(name));

/** The headers of a response for the client, as a flat list of names and values in the order received. */
export function responseHeaders(raw: readonly string[]): string[] {
  const headers: string[] = [];
  let named: readonly string[] = nothing;
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i] ?? '';
    const value = raw[i + 1] ?? '';
    if (!isDropped(name)) headers.push(name, value);
    else if (value !== 'keep-alive' && name.toLowerCase() === 'connection') named = [...named, ...namedBy(value)];
  }
  for (const name of named) dropNamed(headers, name);
  return headers;
}

const nothing: readonly string[] = [];

function dropNamed(headers: string[], name: string): void {
  for (let i = headers.length - 2; i >= 0; i -= 2) if (headers[i]?.toLowerCase() === name) headers.splice(i, 2);
}

/** The value of a header in a flat list; undefined when absent. */
export function headerOf(headers: readonly string[], name: string): string | undefined {
  for (let i = 0; i + 1 < headers.length; i += 2)
    if (headers[i]?.length === name.length && headers[i]?.toLowerCase() === name) return headers[i + 1];
  return undefined;
}

/** Node refuses to repeat these over HTTP/2. A second value adds no information. */
const single: ReadonlySet<string> = new Set([
  'access-control-allow-credentials',
  'access-control-max-age',
  'age',
  'content-encoding',
  'content-language',
  'content-length',
  'content-location',
  'content-md5',
  'content-range',
  'content-type',
  'dnt',
  'etag',
  'expires',
  'last-modified',
  'location',
  'retry-after',
  'tk',
  'x-content-type-options',
]);

/**
 * Sets the status and the headers (a flat list) of another server's response. They replace headers that the filters have set. Throws Node's
 * TypeError or RangeError when HTTP cannot carry them.
 */
export function setResponseHead(response: ServerResponse, status: number, headers: readonly string[]): void {
  if (!(status >= 200 && status <= 599)) throw new RangeError(`malformed HTTP status code ${JSON.stringify(status)}`);
  response.statusCode = status;
  for (let i = 0; i + 1 < headers.length; i += 2) setHeader(response, headers, i);
  // A 204 has no body, whatever the other server announces.
  if (status === 204) response.removeHeader('Content-Length');
}

/** Removes the headers again, before this server writes a response instead. */
export function clearResponseHead(response: ServerResponse, headers: readonly string[]): void {
  for (let i = 0; i + 1 < headers.length; i += 2) response.removeHeader(headers[i] ?? '');
}

/** Sets the header at position `i`. The first value of a name replaces existing ones, further values are appended. */
function setHeader(response: ServerResponse, headers: readonly string[], i: number): void {
  const name = headers[i] ?? '';
  const value = headers[i + 1] ?? '';
  for (let before = 0; before < i; before += 2) {
    if (headers[before]?.length !== name.length || headers[before]?.toLowerCase() !== name.toLowerCase()) continue;
    if (!single.has(name.toLowerCase())) response.appendHeader(name, value);
    return;
  }
  response.setHeader(name, value);
}
