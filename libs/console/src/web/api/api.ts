import { proof } from './session.ts';

/** A refusal of the server. The message is that of its Status, or the text of its response. */
export class ApiError extends Error {
  readonly status: number;
  readonly causes: readonly { readonly field?: string; readonly message?: string }[];

  constructor(status: number, message: string, causes: ApiError['causes'] = []) {
    super(message);
    this.status = status;
    this.causes = causes;
  }
}

interface StatusBody {
  readonly message?: string;
  readonly details?: { readonly causes?: ApiError['causes'] };
}

/** Called when the server does not know the session any more. A page has one session. */
let onLoggedOut: () => void = () => undefined;
export const whenLoggedOut = (listener: () => void): void => {
  onLoggedOut = listener;
};

/** Sends a request in the session. The response may have any status. */
export async function send(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set('X-Console-Proof', proof());
  const response = await fetch(path, { ...init, headers });
  if (response.status === 401) onLoggedOut();
  return response;
}

/** The same; throws ApiError when the status is not 2xx. */
export async function request(path: string, init: RequestInit = {}): Promise<Response> {
  const response = await send(path, init);
  if (response.ok) return response;
  const text = await response.text();
  const status = statusOf(text);
  throw new ApiError(response.status, status.message ?? (text.trim() || response.statusText), status.details?.causes);
}

function statusOf(text: string): StatusBody {
  if (!text.startsWith('{')) return {};
  try {
    return JSON.parse(text) as StatusBody;
  } catch (error) {
    if (error instanceof SyntaxError) return {};
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
