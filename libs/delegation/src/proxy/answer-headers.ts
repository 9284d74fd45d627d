import type { ServerResponse } from 'node:http';
import { connectionHeaders, namedBy, rememberedByName } from './connection-headers.ts';

/** Of a connection, the date, which Node writes itself, and the audit id, which the first server has given. */
const dropped: ReadonlySet<string> = new Set([...connectionHeaders, 'date', 'audit-id']);

const isDropped = rememberedByName((name) => dropped.has(name));

/** The headers of an answer for the client, as a flat list of names and values as they came. */
export function answerHeaders(raw: readonly string[]): string[] {
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

/** The value of a header in a flat list; undefined without one. */
export function headerOf(headers: readonly string[], name: string): string | undefined {
  for (let i = 0; i + 1 < headers.length; i += 2)
    if (headers[i]?.length === name.length && headers[i]?.toLowerCase() === name) return headers[i + 1];
  return undefined;
}

/** Node refuses to repeat these over HTTP/2; a second one says nothing that the first does not. */
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
 * Sets the status and the headers, a flat list, of an answer that came from elsewhere; they replace what the filters have set. Throws Node's
 * TypeError or RangeError when HTTP cannot carry them.
 */
export function setAnswerHead(response: ServerResponse, status: number, headers: readonly string[]): void {
  if (!(status >= 200 && status <= 599)) throw new RangeError(`malformed HTTP status code ${JSON.stringify(status)}`);
  response.statusCode = status;
  for (let i = 0; i + 1 < headers.length; i += 2) setHeader(response, headers, i);
  // No body follows, whatever the other side says.
  if (status === 204) response.removeHeader('Content-Length');
}

/** Takes the headers off again, for an answer of our own. */
export function clearAnswerHead(response: ServerResponse, headers: readonly string[]): void {
  for (let i = 0; i + 1 < headers.length; i += 2) response.removeHeader(headers[i] ?? '');
}

/** The header at position `i`: the first of a name replaces, others are added. */
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
