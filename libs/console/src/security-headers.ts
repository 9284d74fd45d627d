import type { ServerResponse } from 'node:http';

const forEveryAnswer: Readonly<Record<string, string>> = {
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

/** An answer of the API may contain what a pod or an extension API server sent. It never runs as a page of the console. */
const dataPolicy = "default-src 'none'; frame-ancestors 'none'; sandbox";

/** Sets the headers that browsers enforce: https://www.w3.org/TR/CSP3/ */
export function setSecurityHeaders(response: ServerResponse, kind: 'page' | 'data'): void {
  for (const [name, value] of Object.entries(forEveryAnswer)) response.setHeader(name, value);
  response.setHeader('Content-Security-Policy', kind === 'page' ? pagePolicy : dataPolicy);
}
