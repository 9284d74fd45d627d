import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Status } from '@apichain/meta';
import { mayRespond, mayRespondInstead } from './respond-once.ts';
import { writeError } from './negotiation/write-response.ts';
import { findScope } from './request-scope.ts';
import type { StatusWriter } from './status-error.ts';

export { toStatusError, type StatusWriter } from './status-error.ts';

/*
 * Responses of the parts of the server that know no kinds: text, plain JSON documents and Status errors.
 */

/** Writes every complete response of this file. Has no effect when a response exists already. */
function respond(response: ServerResponse, code: number, headers: OutgoingHttpHeaders, body: Buffer): void {
  if (!mayRespond(response)) return;
  response.writeHead(code, { ...headers, 'Content-Length': body.length });
  response.end(body);
}

/** A text error as Go's http.Error writes it: the text, a line feed, nosniff. */
export function writeTextError(response: ServerResponse, code: number, text: string): void {
  if (!mayRespondInstead(response)) return;
  const headers = { 'Content-Type': 'text/plain; charset=utf-8', 'X-Content-Type-Options': 'nosniff' };
  respond(response, code, headers, Buffer.from(`${text}\n`));
}

/**
 * The response to a request whose deadline has passed: the members of a Status without its kind, as text. Clients do not take it for a Status, and
 * report that the server was unable to respond in time. Source: timeoutWriter of k8s.io/apiserver/pkg/server/filters/timeout.go.
 */
export function writeTimeout(
  response: ServerResponse,
  { kind: _kind, apiVersion: _version, ...members }: Status,
): void {
  if (!mayRespondInstead(response)) return;
  const headers = { 'Content-Type': 'text/plain; charset=utf-8' };
  respond(response, members.code, headers, Buffer.from(`${JSON.stringify(members)}\n`));
}

/** Responds with plain text and ends the response. `more` are further headers. */
export function writeText(
  response: ServerResponse,
  code: number,
  text: string,
  more: Record<string, string> = {},
): void {
  respond(response, code, { 'Content-Type': 'text/plain; charset=utf-8', ...more }, Buffer.from(text));
}

/** The end of the chain: `404 page not found`. */
export function writeNotFound(response: ServerResponse): void {
  writeTextError(response, 404, '404 page not found');
}

/** Indented JSON, the format of `/version` and `/`. */
export function writeRawJson(response: ServerResponse, code: number, value: unknown): void {
  respond(response, code, { 'Content-Type': 'application/json' }, Buffer.from(JSON.stringify(value, undefined, 2)));
}

/** Responds with a Status in the caller's representation; sets Retry-After from its details. */
export const writeStatusError: StatusWriter = (request, response, error) => {
  writeError(request, response, error, findScope(request)?.runtime.protobuf).catch(() => response.destroy());
};

/** Escapes text so that it cannot be taken for HTML. */
export function sanitizeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
