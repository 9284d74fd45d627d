import type { ServerResponse } from 'node:http';

/**
 * What an answer does not pass on: headers of the connection, the date, which Node writes itself, and the audit id, which the first server
 * has given.
 */
const dropped: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
  'host',
  'date',
  'audit-id',
]);

/** The headers of an answer for the client, as a flat list of names and values as they came. */
export function answerHeaders(raw: readonly string[], connection: string | undefined): string[] {
  const named =
    connection === undefined || connection === 'keep-alive' || connection === 'close'
      ? undefined
      : new Set(connection.split(',').map((name) => name.trim().toLowerCase()));
  const headers: string[] = [];
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i] ?? '';
    const lower = name.toLowerCase();
    if (!dropped.has(lower) && named?.has(lower) !== true) headers.push(name, raw[i + 1] ?? '');
  }
  return headers;
}

/**
 * Sets the status and the headers, a flat list, of an answer that came from elsewhere; they replace what the filters have set. Throws Node's
 * TypeError or RangeError, and leaves the response without any of the headers, when HTTP cannot carry them.
 */
export function setAnswerHead(response: ServerResponse, status: number, headers: readonly string[]): void {
  try {
    if (!(status >= 200 && status <= 599)) throw new RangeError(`malformed HTTP status code ${JSON.stringify(status)}`);
    response.statusCode = status;
    for (let i = 0; i + 1 < headers.length; i += 2) setHeader(response, headers, i);
    // No body follows, whatever the other side says.
    if (status === 204) response.removeHeader('Content-Length');
  } catch (error) {
    for (let i = 0; i + 1 < headers.length; i += 2) response.removeHeader(headers[i] ?? '');
    throw error;
  }
}

/** The header at position `i`: the first of a name replaces, others are added. */
function setHeader(response: ServerResponse, headers: readonly string[], i: number): void {
  const name = headers[i] ?? '';
  for (let before = 0; before < i; before += 2) {
    if (headers[before] !== name) continue;
    response.appendHeader(name, headers[i + 1] ?? '');
    return;
  }
  response.setHeader(name, headers[i + 1] ?? '');
}

/** Shows the client that there is no more of an answer that has begun: it must not be taken for a whole one. */
export function breakOff(response: ServerResponse): void {
  if ('stream' in response && isHttp2Stream(response.stream)) response.stream.close(http2InternalError);
  else response.destroy();
}

/** RFC 9113, 7: without an error code a client would see an ordinary end. */
const http2InternalError = 2;

const isHttp2Stream = (stream: unknown): stream is { close(code: number): void } =>
  typeof stream === 'object' && stream !== null && 'close' in stream && typeof stream.close === 'function';
