import type { IncomingMessage } from 'node:http';
import type { UserInfo } from '@apichain/authn';
import { relayHeader, wantedOf } from '../../audit/relay.ts';
import type { RequestScope } from '../../request-scope.ts';
import { appendIdentity, isForwarded } from '../forwarded-headers.ts';

const target = /^[\x21-\xff]+$/;
const token = /^[A-Za-z]+$/;
const lineBreaking = /[\0\r\n]/;

const identities = new WeakMap<UserInfo, string>();

/** The identity headers as text; a user who comes again is written once. Throws Error when a name cannot be put in a header. */
function identityText(user: UserInfo): string {
  let text = identities.get(user);
  if (text !== undefined) return text;
  const headers = appendIdentity([], user);
  text = '';
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const value = headers[i + 1] ?? '';
    if (lineBreaking.test(value)) throw new Error('the identity of the user does not fit into a header');
    text += `${headers[i] ?? ''}: ${value}\r\n`;
  }
  identities.set(user, text);
  return text;
}

/**
 * Request line and headers of a request as it goes to the next server: the client's own headers, plus who it is. `bodyLength` undefined =
 * there is no body. Throws Error when the request cannot be written as HTTP/1.1 (one that came over HTTP/2 may hold anything).
 */
export function requestHead(
  request: IncomingMessage,
  scope: RequestScope,
  host: string,
  bodyLength: number | undefined,
): string {
  const { method = '', url = '', rawHeaders: raw } = request;
  if (!target.test(url) || !token.test(method)) throw new Error('the request cannot be passed on');
  let text = `${method} ${url} HTTP/1.1\r\nHost: ${host}\r\n`;
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i] ?? '';
    if (isForwarded(name) && !isContentLength(name)) text += `${name}: ${raw[i + 1] ?? ''}\r\n`;
  }
  if (bodyLength !== undefined) text += `Content-Length: ${bodyLength}\r\n`;
  text += `Audit-Id: ${scope.auditId}\r\n`;
  if (scope.audit !== undefined) text += `${relayHeader}: ${wantedOf(scope.audit)}\r\n`;
  const from = request.socket.remoteAddress;
  const before = request.headers['x-forwarded-for'];
  if (from !== undefined) text += `X-Forwarded-For: ${before === undefined ? from : `${String(before)}, ${from}`}\r\n`;
  return `${text}${identityText(scope.user)}\r\n`;
}

const isContentLength = (name: string) => name.length === 14 && name.toLowerCase() === 'content-length';
