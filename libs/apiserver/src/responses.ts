import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import { StatusError, newUnknownError, type Status } from '@apichain/meta';
import { stringify } from 'yaml';

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

export type StatusWriter = (request: IncomingMessage, response: ServerResponse, error: StatusError) => void;

/** Answers with a Status in JSON, or YAML where the client prefers that; sets Retry-After from its details. */
export const writeStatusError: StatusWriter = (request, response, error) => {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const { status } = error;
  const retryAfter = status.details?.retryAfterSeconds;
  if (retryAfter !== undefined && retryAfter > 0) response.setHeader('Retry-After', String(retryAfter));
  if (prefersYaml(request.headers.accept)) {
    writeBody(response, status.code, 'application/yaml', statusYaml(status));
  } else writeBody(response, status.code, 'application/json', `${JSON.stringify(status)}\n`);
};

function statusYaml(status: Status): string {
  return stringify(status, { sortMapEntries: true, lineWidth: 80 });
}

function prefersYaml(accept: string | undefined): boolean {
  if (accept === undefined || !accept.includes('yaml')) return false;
  const first = accept.split(',', 1)[0] ?? '';
  return first.trim().startsWith('application/yaml');
}

/** What a thrown value becomes: itself when it is a StatusError, otherwise code 500 with the bare text. */
export function toStatusError(error: unknown): StatusError {
  if (error instanceof StatusError) return error;
  return newUnknownError(error instanceof Error ? error.message : String(error));
}

/** Text that must not look like HTML. */
export function sanitizeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

export const statusText = (code: number): string => STATUS_CODES[code] ?? '';
