import type { IncomingMessage } from 'node:http';

/**
 * What a client's request does not pass on: headers that concern one connection only (RFC 9110, 7.6.1), and those that say who somebody
 * is or are between the servers of the chain. `host` and `content-length` are set anew.
 */
const dropped: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
  'host',
  'content-length',
  'expect',
  'authorization',
  'audit-id',
  'x-forwarded-for',
  '__proto__',
]);
const droppedPrefixes: readonly string[] = ['x-remote-', 'impersonate-', 'x-apichain-', ':'];

/** By name as written, because the same few names come with every request; bounded, because clients choose names. */
const known = new Map<string, string>();
const maxRemembered = 500;

/** The name in lower case; empty when the header is not passed on. */
function forwardedName(name: string): string {
  let answer = known.get(name);
  if (answer === undefined) {
    const lower = name.toLowerCase();
    const stays = dropped.has(lower) || droppedPrefixes.some((prefix) => lower.startsWith(prefix));
    answer = stays ? '' : lower;
    if (known.size < maxRemembered) known.set(name, answer);
  }
  return answer;
}

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
  if (connection === undefined || connection === 'keep-alive' || connection === 'close') return undefined;
  return new Set(connection.split(',').map((name) => name.trim().toLowerCase()));
}

/** `X-Forwarded-For` with the client behind those that were there before. */
export function forwardedFor(request: IncomingMessage): string | undefined {
  const from = request.socket.remoteAddress?.replace(/^::ffff:/, '');
  const before = request.headers['x-forwarded-for'];
  if (from === undefined) return undefined;
  return before === undefined ? from : `${[before].flat().join(', ')}, ${from}`;
}
