import type { IncomingMessage } from 'node:http';
import { connectionHeaders, namedBy, rememberedByName } from './connection-headers.ts';

/** Headers of the connection, and headers with an identity. `host` and `content-length` are set separately. */
const dropped: ReadonlySet<string> = new Set([
  ...connectionHeaders,
  'proxy-authorization',
  'content-length',
  'expect',
  'authorization',
  'audit-id',
  'x-forwarded-for',
  '__proto__',
]);
const droppedPrefixes: readonly string[] = ['x-remote-', 'impersonate-', 'x-apichain-', ':'];

/** The name in lower case; empty when the header is not forwarded. */
const forwardedName = rememberedByName((name) =>
  dropped.has(name) || droppedPrefixes.some((prefix) => name.startsWith(prefix)) ? '' : name,
);

/** Headers to send, by name in lower case. */
export type OutgoingHeaders = Record<string, string | string[]>;

/** The client's headers that are forwarded. The client's identity is set afterwards, in other headers. */
export function clientHeaders(request: IncomingMessage): OutgoingHeaders {
  const raw = request.rawHeaders;
  const headers: OutgoingHeaders = {};
  const named = namedByConnection(request);
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = forwardedName(raw[i] ?? '');
    if (name === '' || named?.has(name) === true) continue;
    const value = raw[i + 1] ?? '';
    const before = headers[name];
    if (before === undefined) headers[name] = value;
    else if (name === 'cookie') headers[name] = `${String(before)}; ${value}`;
    else if (typeof before === 'string') headers[name] = [before, value];
    else before.push(value);
  }
  return headers;
}

/** The headers that the client's `Connection` header limits to this connection. */
function namedByConnection({ headers: { connection } }: IncomingMessage): ReadonlySet<string> | undefined {
  const named = connection === undefined ? [] : namedBy(connection);
  return named.length === 0 ? undefined : new Set(named);
}

/** `X-Forwarded-For` with the client's address appended. */
export function forwardedFor(request: IncomingMessage): string | undefined {
  const from = request.socket.remoteAddress?.replace(/^::ffff:/, '');
  const before = request.headers['x-forwarded-for'];
  if (from === undefined) return undefined;
  return before === undefined ? from : `${[before].flat().join(', ')}, ${from}`;
}
