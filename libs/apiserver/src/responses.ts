import type { ServerResponse } from 'node:http';
import { writeError } from './negotiation/write-response.ts';
import { findScope } from './request-scope.ts';
import type { StatusWriter } from './status-error.ts';

export { toStatusError, type StatusWriter } from './status-error.ts';

/*
 * Answers of the parts of the server that know no kind: text, plain JSON documents and Status errors.
 */

/** As Go's http.Error writes it: the text, a line feed, nosniff. */
export function writeTextError(response: ServerResponse, code: number, text: string): void {
  const body = Buffer.from(`${text}\n`);
  response.writeHead(code, {
    'Content-Type': 'text/plain; charset=utf-8',
    'X-Content-Type-Options': 'nosniff',
    'Content-Length': body.length,
  });
  response.end(body);
}

export function writeText(
  response: ServerResponse,
  code: number,
  text: string,
  more: Record<string, string> = {},
): void {
  const body = Buffer.from(text);
  response.writeHead(code, { 'Content-Type': 'text/plain; charset=utf-8', 'Content-Length': body.length, ...more });
  response.end(body);
}

/** The end of the chain: `404 page not found`. */
export function writeNotFound(response: ServerResponse): void {
  writeTextError(response, 404, '404 page not found');
}

/** Indented JSON, as `/version` and `/` answer. */
export function writeRawJson(response: ServerResponse, code: number, value: unknown): void {
  writeBody(response, code, 'application/json', JSON.stringify(value, undefined, 2));
}

function writeBody(response: ServerResponse, code: number, contentType: string, text: string): void {
  const body = Buffer.from(text);
  response.writeHead(code, { 'Content-Type': contentType, 'Content-Length': body.length });
  response.end(body);
}

/** Answers with a Status in the caller's representation; sets Retry-After from its details. */
export const writeStatusError: StatusWriter = (request, response, error) => {
  writeError(request, response, error, findScope(request)?.protobuf).catch(() => response.destroy());
};

/** Text that must not look like HTML. */
export function sanitizeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
