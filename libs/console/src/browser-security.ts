import type { IncomingMessage, ServerResponse } from 'node:http';

const readOnlyMethods: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** Where the console is served. */
export interface ConsoleAddress {
  /** The host names that a browser may use, with the port: `127.0.0.1:6480`. */
  readonly hosts: ReadonlySet<string>;
}

export const consoleAddress = (port: number): ConsoleAddress => ({
  hosts: new Set([`127.0.0.1:${port}`, `localhost:${port}`]),
});

/**
 * Why a request is refused before anything else is looked at; undefined when it may come from a page of the console.
 *
 * - The host must be the console's: a name of an attacker that is rebound to 127.0.0.1 arrives with the attacker's name.
 * - The origin must be the console's: other pages must not send requests with the cookie. Requests that write must name an origin.
 * - A WebSocket must name an origin, because browsers let every page open one to any host.
 * - What the browser says about the initiator must agree (https://www.w3.org/TR/fetch-metadata/). Only a navigation may start elsewhere.
 */
export function refusal(
  { method = 'GET', headers }: IncomingMessage,
  address: ConsoleAddress,
  isWebSocket = false,
): string | undefined {
  const { host = '', origin } = headers;
  if (!address.hosts.has(host.toLowerCase())) return 'the Host header does not name the console';
  const mayLackOrigin = readOnlyMethods.has(method) && !isWebSocket;
  if (origin === undefined ? !mayLackOrigin : origin !== `http://${host.toLowerCase()}`)
    return 'the Origin header does not name the console';
  const site = headers['sec-fetch-site'];
  const isNavigation = headers['sec-fetch-mode'] === 'navigate' && method === 'GET';
  if (site !== undefined && site !== 'same-origin' && site !== 'none' && !isNavigation)
    return 'another site sent the request';
  return undefined;
}

const forEveryResponse: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
};

/** Scripts and styles come from files of the console, and nothing is loaded from elsewhere. */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

/** A response of the API may contain what a pod or an extension API server sent. It never runs as a page of the console. */
const dataPolicy = "default-src 'none'; frame-ancestors 'none'; sandbox";

/** Sets the headers that browsers enforce: https://www.w3.org/TR/CSP3/ */
export function setSecurityHeaders(response: ServerResponse, kind: 'page' | 'data'): void {
  for (const [name, value] of Object.entries(forEveryResponse)) response.setHeader(name, value);
  response.setHeader('Content-Security-Policy', kind === 'page' ? pagePolicy : dataPolicy);
}
