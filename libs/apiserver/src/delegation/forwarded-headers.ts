import type { IncomingMessage } from 'node:http';
import { escapeExtraKey, type UserInfo } from '@apichain/authn';
import type { RequestScope } from '../request-scope.ts';

/** Headers that concern one connection only (RFC 9110, 7.6.1), and those that must not come from outside. */
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
  'expect',
  'authorization',
  'audit-id',
  'x-apichain-audit',
  'x-forwarded-for',
]);
const droppedPrefixes: readonly string[] = ['x-remote-', 'impersonate-', ':'];

/** Answers by name as written, because the same few names come with every request; bounded, because clients choose names. */
const forwarded = new Map<string, boolean>();
const maxRemembered = 500;

/** Whether a request header of the client goes to the next server. */
export function isForwarded(name: string): boolean {
  let answer = forwarded.get(name);
  if (answer === undefined) {
    const lower = name.toLowerCase();
    answer = !dropped.has(lower) && !droppedPrefixes.some((prefix) => lower.startsWith(prefix));
    if (forwarded.size < maxRemembered) forwarded.set(name, answer);
  }
  return answer;
}

/** Request headers for the next server, as a flat list: the client's own, plus who it is. */
export function forwardedHeaders(request: IncomingMessage, scope: RequestScope): string[] {
  const raw = request.rawHeaders;
  const headers: string[] = [];
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i] ?? '';
    if (isForwarded(name)) headers.push(name, raw[i + 1] ?? '');
  }
  headers.push('Audit-Id', scope.auditId);
  const from = request.socket.remoteAddress;
  const before = request.headers['x-forwarded-for'];
  if (from !== undefined) headers.push('X-Forwarded-For', before === undefined ? from : `${String(before)}, ${from}`);
  return appendIdentity(headers, scope.user);
}

/** The front-proxy identity headers: https://kubernetes.io/docs/tasks/extend-kubernetes/configure-aggregation-layer/ */
export function appendIdentity(headers: string[], user: UserInfo): string[] {
  headers.push('X-Remote-User', headerText(user.name));
  if (user.uid !== '') headers.push('X-Remote-Uid', headerText(user.uid));
  for (const group of user.groups) headers.push('X-Remote-Group', headerText(group));
  for (const key of Object.keys(user.extra)) {
    const name = `X-Remote-Extra-${escapeExtraKey(key)}`;
    for (const value of user.extra[key] ?? []) headers.push(name, headerText(value));
  }
  return headers;
}

const plain = /^[\x20-\x7e]*$/;

/** Node writes header characters as bytes: UTF-8 goes out as its bytes. */
const headerText = (text: string): string => (plain.test(text) ? text : Buffer.from(text, 'utf8').toString('latin1'));

const connectionHeaders: ReadonlySet<string> = new Set(['connection', 'keep-alive', 'transfer-encoding', 'upgrade']);

/** Response headers for the client, as a flat list without those of the connection. */
export function returnedHeaders(raw: readonly (string | Buffer)[]): string[] {
  const headers: string[] = [];
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i]?.toString('latin1') ?? '';
    if (!connectionHeaders.has(name.toLowerCase())) headers.push(name, raw[i + 1]?.toString('latin1') ?? '');
  }
  return headers;
}
