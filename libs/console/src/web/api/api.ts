import { parse, YAMLError } from 'yaml';
import { connection } from './connection.ts';
import { proof } from './session.ts';

/** One of the reasons for which the server refuses a request: https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/status/ */
export interface Cause {
  readonly reason?: string;
  /** The path of a field, such as `spec.containers[0].image`. */
  readonly field?: string;
  readonly message?: string;
}

/** A refusal of the server. The message is that of its Status, or the text of its response. */
export class ApiError extends Error {
  /** The status code of the response; 0 when there was none. */
  readonly status: number;
  /** Of the Status: `Conflict`, `Invalid`. Empty when the server sent something else. */
  readonly reason: string;
  readonly causes: readonly Cause[];
  /** Seconds after which the server wants to be asked again. */
  readonly retryAfter: number | undefined;

  constructor(status: number, message: string, body: StatusBody = {}) {
    super(message);
    this.status = status;
    this.reason = body.reason ?? '';
    this.causes = body.details?.causes ?? [];
    this.retryAfter = body.details?.retryAfterSeconds;
  }
}

interface StatusBody {
  readonly message?: string;
  readonly reason?: string;
  readonly details?: { readonly causes?: readonly Cause[]; readonly retryAfterSeconds?: number };
}

/** Called when the server does not know the session any more. A page has one session. */
let onLoggedOut: () => void = () => undefined;
export const whenLoggedOut = (listener: () => void): void => {
  onLoggedOut = listener;
};

/** Sends a request in the session. The response may have any status. Throws ApiError with the status 0 when there is none. */
export async function send(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set('X-Console-Proof', proof());
  const response = await fetch(path, { ...init, headers }).catch(() => {
    throw unreachable(init.signal);
  });
  if (response.status === 401) onLoggedOut();
  return response;
}

/** The error of a request without a response. It loses the connection, unless the page itself has given the request up. */
export function unreachable(signal: AbortSignal | null | undefined): ApiError {
  if (signal?.aborted !== true) connection.lose();
  return new ApiError(0, 'The chain does not respond. The console tries again until it does.');
}

/** The same; throws ApiError when the status is not 2xx. */
export async function request(path: string, init: RequestInit = {}): Promise<Response> {
  const response = await send(path, init);
  if (response.ok) return response;
  throw refusalOf(response.status, await response.text(), response.statusText);
}

/** The error of a response that is not 2xx, from its body. */
export function refusalOf(code: number, text: string, statusText = ''): ApiError {
  const status = statusOf(text);
  return new ApiError(code, status.message ?? (text.trim() || statusText), status);
}

/** A Status is JSON, or YAML where an object is read and written as YAML. Other servers may send other texts. */
function statusOf(text: string): StatusBody {
  if (!/^\{|^apiVersion: v1$/m.test(text)) return {};
  try {
    return (parse(text) ?? {}) as StatusBody;
  } catch (error) {
    if (error instanceof YAMLError) return {};
    throw error;
  }
}

export async function getJson<Document>(
  path: string,
  accept = 'application/json',
  signal: AbortSignal | null = null,
): Promise<Document> {
  return (await (await request(path, { headers: { Accept: accept }, signal })).json()) as Document;
}

export async function postJson<Document>(path: string, body: unknown): Promise<Document> {
  const headers = { 'Content-Type': 'application/json', Accept: 'application/json' };
  const response = await request(path, { method: 'POST', headers, body: JSON.stringify(body) });
  return (await response.json()) as Document;
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export const isForbidden = (error: unknown): boolean => error instanceof ApiError && error.status === 403;

/** True when there was no response at all: the note above every view says it. */
export const isUnreachable = (error: unknown): boolean => error instanceof ApiError && error.status === 0;
