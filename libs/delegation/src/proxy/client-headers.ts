import type { IncomingMessage } from 'node:http';
import { connectionHeaders, namedBy, rememberedByName } from './connection-headers.ts';

/** Of a connection, and what says who somebody is or is between the servers of the chain. `host` and `content-length` are set anew. */
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

/** The name in lower case; empty when the header is not passed on. */
const forwardedName = rememberedByName((name) =>
  dropped.has(name) || droppedPrefixes.some((prefix) => name.startsWith(prefix)) ? '' : name,
);

/** Headers to send, by name in lower case. */
export type OutgoingHeaders = Record<string, string | string[]>;

/** The client's own headers as they go on. Who the client is must be told in others, set afterwards. */
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

/** Headers that the client's `Connection` says are for this connection only. */
function namedByConnection({ headers: { connection } }: IncomingMessage): ReadonlySet<string> | undefined {
  const named = connection === undefined ? [] : namedBy(connection);
  return named.length === 0 ? undefined : new Set(named);
}

/** `X-Forwarded-For` with the client behind those that were there before. */
export function forwardedFor(request: IncomingMessage): string | undefined {
  const from = request.socket.remoteAddress?.replace(/^::ffff:/, '');
  const before = request.headers['x-forwarded-for'];
  if (from === undefined) return undefined;
  return before === undefined ? from : `${[before].flat().join(', ')}, ${from}`;
}
